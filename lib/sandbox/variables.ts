import { grantInvalid } from "./grant_invalid.ts";

/** What the variables stand for; an absent one cannot be used. */
export interface Variables {
  readonly WORKSPACE: string;
  readonly PACK?: string | undefined;
  readonly TMP?: string;
  readonly HOME?: string;
}

/** The names that may stand in `${…}`. */
export const VARIABLE_NAMES = ["WORKSPACE", "PACK", "TMP", "HOME"] as const;

/**
 * Replaces each `${NAME}` by what it stands for.
 *
 * @throws {SkepError} `GRANT_INVALID` for a name that is none of {@linkcode VARIABLE_NAMES}, or stands for
 * nothing here.
 */
export function expandVariables(
  text: string,
  variables: Variables,
  at: { readonly server: string; readonly entry: string },
): string {
  return text.replaceAll(/\$\{([^}]*)\}/g, (whole, name: string) => {
    const known = VARIABLE_NAMES.find((candidate) => candidate === name);
    if (known === undefined) {
      const names = VARIABLE_NAMES.map((each) => `\${${each}}`).join(", ");
      throw grantInvalid(at, text, `${whole} is none of ${names}`);
    }
    const value = variables[known];
    if (value === undefined) {
      const why = known === "PACK"
        ? "the server comes from no pack"
        : "there is no such folder yet";
      throw grantInvalid(at, text, `${whole} stands for nothing here: ${why}`);
    }
    return value;
  });
}

import { dirname, join } from "@std/path";
import type { Files } from "../host/files.ts";
import type { ServerSpec } from "./spec.ts";

/** The name of the variable that says where the pack of a script that runs from a copy lies. */
const PACK_VARIABLE = "SKEP_PACK";

/**
 * A server that is started from files that were read and checked: they are written into a private folder, which it may
 * read, and its command is the copy. Whatever is put in the place of the original meanwhile is not run: a mount over
 * the original would go with the file that is replaced. `SKEP_PACK` says where the originals' pack lies.
 *
 * @param root The server's own private folder.
 */
export async function withPrivateCode(
  spec: ServerSpec,
  root: string,
  pack: string | undefined,
  files: Pick<Files, "makeFolder" | "writeBytes">,
): Promise<ServerSpec> {
  if (spec.code === undefined) return spec;
  const folder = codeFolder(root);
  for (const { path, bytes, isExecutable } of spec.code.entries) {
    await files.makeFolder(dirname(join(folder, path)));
    await files.writeBytes(join(folder, path), bytes, isExecutable ? 0o500 : 0o400);
  }
  const command = join(folder, spec.code.main);
  if (pack === undefined) return { ...spec, command };
  const { ceiling } = spec;
  const most = ceiling?.permissions;
  return {
    ...spec,
    command,
    env: { ...spec.env, [PACK_VARIABLE]: pack },
    // It is no grant of the pack's, which a ceiling would be about.
    ...(ceiling && most?.env && {
      ceiling: { ...ceiling, permissions: { ...most, env: [...most.env, PACK_VARIABLE] } },
    }),
  };
}

/** Where the copy lies in a server's private folder. */
export function codeFolder(root: string): string {
  return join(root, "code");
}

import type { Persona } from "../persona/persona.ts";
import { unusedFields } from "../persona/unused_fields.ts";
import type { Settings } from "./settings.ts";

/** What a person must be told of a persona when a session of it opens, a line each. */
export function personaNotices(
  persona: Persona,
  { sandbox }: Pick<Settings, "sandbox">,
): readonly string[] {
  const { displayName, hooks } = persona;
  const unused = unusedFields(persona);
  return [
    ...(unused.length === 0
      ? []
      : [`${displayName} sets what is not used here: ${unused.join(", ")}`]),
    ...(sandbox === "off" && Object.keys(hooks).length > 0
      ? [`The hooks of ${displayName} run unconfined: --sandbox is off`]
      : []),
  ];
}

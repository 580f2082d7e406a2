import { SkepError } from "../errors.ts";
import { type Interpolation, unresolvedIn } from "./interpolate.ts";
import type { Pack } from "./pack.ts";
import type { Persona } from "./persona.ts";
import type { PersonaFile } from "./persona_file.ts";
import { placeText, type ServerAt } from "./problems.ts";

/** Where the fields of a persona's servers stand: its own file, or its pack's. */
export function serverAtOf(
  own: Pick<PersonaFile, "servers" | "serverAt">,
  pack: Pick<Pack, "serverAt">,
): ServerAt {
  return (server, path) =>
    (own.servers.some(({ name }) => name === server) ? own : pack).serverAt(server, path);
}

/** Why no session starts with a persona: the first `${NAME}` of its own servers that stands for nothing. */
export function unresolvedError(
  persona: Persona,
  serverAt: ServerAt,
  world: Omit<Interpolation, "persona">,
): SkepError<"CONFIG_INVALID"> | undefined {
  for (const spec of persona.servers) {
    const [first] = unresolvedIn(spec, { persona, ...world });
    if (first === undefined) continue;
    const at = serverAt(spec.name, first.path);
    const message = `Cannot start a session with ${persona.name}: ${placeText(at)}: ${
      first.message.replace(/^Cannot start server "[^"]*": /, `of server "${spec.name}" `)
    }`;
    return new SkepError("CONFIG_INVALID", message, { source: at.file });
  }
  return undefined;
}

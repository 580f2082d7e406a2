import type { Host } from "../host/host.ts";
import { SkepError } from "../errors.ts";
import type { HookPoint } from "../persona/hooks.ts";
import type { ContentLimits } from "../persona/pack_content.ts";
import type { Persona } from "../persona/persona.ts";
import { readScript } from "../persona/script_digest.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Consent } from "./consent.ts";

/** What {@linkcode withHookCode} looks at. */
export interface HookCodeWorld {
  readonly persona: Pick<Persona, "pack" | "hooks">;
  readonly consent: Pick<Consent, "sources" | "standing" | "command">;
  readonly files: Host["files"];
  readonly limits: ContentLimits;
}

/**
 * A pack's script with the bytes that it is to run. They are read once, and held against what a person accepted, so
 * that whatever is put in the script's place afterwards is not what runs.
 *
 * @throws {SkepError} `GRANT_NOT_ACCEPTED` when it is not what was accepted, `PERSONA_INVALID` past a bound.
 */
export async function withHookCode(spec: ServerSpec, world: HookCodeWorld): Promise<ServerSpec> {
  const { persona, consent, files, limits } = world;
  const pack = await files.realPath(persona.pack);
  const read = (server: string) => {
    const point = server.replace(/^hook_/, "") as HookPoint;
    return readScript(pack, persona.hooks[point]!.script, files, limits);
  };
  const code = await read(spec.name);
  const own = consent.sources.find(({ kind }) => kind === "pack");
  if (own === undefined) return { ...spec, code };
  const asNow = async (isEach: boolean) => ({
    ...own,
    requests: await Promise.all(own.requests.map(async (request) => {
      if (request.script === undefined) return request;
      if (request.server === spec.name) return { ...request, script: code.digest };
      return isEach ? { ...request, script: (await read(request.server)).digest } : request;
    })),
  });
  // As it was when the session started, then with all scripts as they are now: both may have been accepted.
  for (const isEach of [false, true]) {
    const { kind } = await consent.standing(await asNow(isEach));
    if (kind === "accepted" || kind === "trusted") return { ...spec, code };
  }
  const message = `its script ${code.main}, or what lies beside it, is not what was accepted. ` +
    `To look at it and accept it: ${consent.command(own)}`;
  throw new SkepError("GRANT_NOT_ACCEPTED", message, { source: own.file });
}

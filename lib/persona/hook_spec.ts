import { HOOK_POINTS, type HookPoint } from "./hooks.ts";
import type { Persona } from "./persona.ts";
import type { Permissions, ServerSpec } from "../sandbox/spec.ts";

/** What of a persona its scripts are made from. */
export type HookOwner = Pick<Persona, "hooks" | "pack" | "file" | "permissions">;

/** What a hook that says nothing of its grant gets: it looks at the workspace and at its pack. */
const DEFAULT_PERMISSIONS: Permissions = { read: ["${WORKSPACE}", "${PACK}"] };

/** A persona's script for one point of a session, as the server that it runs as; undefined when it has none. */
export function hookSpec(
  point: HookPoint,
  { hooks, pack, file, permissions: ceiling }: HookOwner,
): ServerSpec | undefined {
  const hook = hooks[point];
  if (hook === undefined) return undefined;
  return {
    name: `hook_${point}`,
    command: `${pack}/${hook.script.replace(/^(\.\/)+/, "")}`,
    args: [],
    env: {},
    // Whoever wrote it, nothing of it runs where the operating system cannot hold it.
    permissions: { ...hook.permissions ?? DEFAULT_PERMISSIONS, sandbox: "require" },
    origin: { kind: "pack", where: file },
    ...(ceiling === undefined ? {} : { ceiling: { permissions: ceiling, file } }),
  };
}

/** All of a persona's scripts, in the order of a session. */
export function hookSpecs(persona: HookOwner): ServerSpec[] {
  return HOOK_POINTS.flatMap((point) => hookSpec(point, persona) ?? []);
}

import type { Permissions } from "../sandbox/spec.ts";
import type { Fields } from "./fields.ts";
import { readPermissions } from "./server_entry.ts";
import { withoutAbsent } from "./without_absent.ts";

/** The points of a session at which a pack's script can run, as files spell them. */
export const HOOK_POINTS = ["on_start", "on_stop", "on_message"] as const;

/** One of {@linkcode HOOK_POINTS}. */
export type HookPoint = (typeof HOOK_POINTS)[number];

/** A script of a pack that runs at one point. */
export interface Hook {
  /** Its path as written, relative to the pack's folder. */
  readonly script: string;
  /** Absent: it reads the workspace and writes nothing of it. */
  readonly permissions?: Permissions;
}

/** Scripts by the point at which they run. */
export type Hooks = Readonly<Partial<Record<HookPoint, Hook>>>;

/** Reads `on_start: ./script.sh`, or `on_start: { script, permissions }`, of each point. */
export function readHooks(fields: Fields): Hooks {
  fields.checkKeys(HOOK_POINTS);
  const hooks: Partial<Record<HookPoint, Hook>> = {};
  for (const point of HOOK_POINTS) {
    const value = fields.raw(point);
    if (value === undefined) continue;
    if (typeof value !== "object") {
      hooks[point] = { script: fields.requiredText(point) };
      continue;
    }
    const inner = fields.fields(point);
    inner?.checkKeys(["script", "permissions"]);
    if (inner === undefined) continue;
    const permissions = readPermissions(inner, "permissions", `hook ${point}`);
    const { sandbox = "require" } = permissions ?? {};
    if (sandbox !== "require") {
      const reason = `a hook runs only where it is confined: leave out sandbox: ${sandbox}`;
      inner.error("permissions.sandbox", reason);
    }
    hooks[point] = { script: inner.requiredText("script"), ...withoutAbsent({ permissions }) };
  }
  return hooks;
}

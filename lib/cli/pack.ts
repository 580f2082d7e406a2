import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { nearest } from "../suggest.ts";
import type { Invocation } from "./flags.ts";

/** What `skep pack` can do, each with the least and the most arguments that come after its name. */
const ACTIONS = {
  validate: { load: () => import("./pack_validate.ts"), takes: [1, 1] },
  inspect: { load: () => import("./pack_inspect.ts"), takes: [1, 1] },
  init: { load: () => import("./pack_init.ts"), takes: [1, 1] },
  export: { load: () => import("./pack_export.ts"), takes: [1, 2] },
  install: { load: () => import("./pack_install.ts"), takes: [1, 1] },
} as const;

/** `skep pack ACTION …`: works on packs of personas. It starts nothing. */
export async function run(invocation: Invocation, host: Host): Promise<number> {
  const [action = "", ...rest] = invocation.positionals;
  if (!Object.hasOwn(ACTIONS, action)) throw unknownAction(action);
  const { load, takes: [least, most] } = ACTIONS[action as keyof typeof ACTIONS];
  if (invocation.has("persona")) {
    const message = `skep pack ${action} takes no --persona: name it as PACK, or PACK#NAME`;
    throw new SkepError("USAGE", message, { argument: "--persona" });
  }
  if (rest.length < least || rest.length > most) {
    const message = `skep pack ${action} takes ${least === most ? least : `${least} to ${most}`} ` +
      `argument${most === 1 ? "" : "s"}, and was given ${rest.length}`;
    throw new SkepError("USAGE", message, { argument: action });
  }
  return await (await load()).run(rest, invocation, host);
}

function unknownAction(action: string): SkepError {
  const actions = Object.keys(ACTIONS);
  const near = nearest(action, actions);
  const hint = near === undefined ? `there are ${actions.join(", ")}` : `did you mean ${near}?`;
  return new SkepError("USAGE", `skep pack has no action "${action}": ${hint}`, {
    argument: action,
  });
}

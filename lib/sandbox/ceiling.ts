import { join } from "@std/path";
import type { LaunchContext } from "./context.ts";
import { canonicalPath, isWithin } from "./paths.ts";
import { hostAndPort, isBridge, remoteAddress } from "./remote.ts";
import type { Origin, ServerSpec } from "./spec.ts";

/**
 * How much a server may ask for, by who wrote its entry: `any` is all but what is never granted;
 * `workspace` is at most the session's folder, no programs, no network, no secrets.
 */
export interface Ceiling {
  readonly reach: "any" | "workspace";
  /** Why it is not more, to be said with each cut. */
  readonly reason: string;
  /** A `net` entry that is granted although: the host of a server that a client names by its address. */
  readonly host?: string;
}

/**
 * The ceiling of an entry: everything for what the person typed and for the packs that ship with
 * skep, and for other packs and a file that lies in the workspace itself once they were accepted; the
 * workspace for those until then, and for what a client sends, with the host of a server that it names by
 * its address.
 */
export async function ceilingOf(
  spec: Pick<ServerSpec, "origin" | "command" | "args" | "env">,
  context: Pick<
    LaunchContext,
    "host" | "workspace" | "addedFolders" | "pack" | "programRoot" | "isAccepted"
  >,
): Promise<Ceiling> {
  const { files, platform } = context.host;
  const { os } = platform;
  const { origin } = spec;
  const any: Ceiling = { reach: "any", reason: "" };
  const limited = (who: string): Ceiling => ({
    reach: "workspace",
    reason:
      `${who} may ask for the workspace alone: no other folders, no programs, no network, no secrets`,
  });
  const unlessAccepted = async (who: string) =>
    await context.isAccepted?.(origin) ? any : limited(who);
  switch (origin.kind) {
    case "flag":
      return any;
    case "file": {
      // A link to a file of the workspace is one, and so is a link that the workspace holds.
      const real = await canonicalPath(origin.where, { files }).catch(() => origin.where);
      const worked = [context.workspace, ...context.addedFolders ?? []];
      return [real, origin.where].some((path) => worked.some((each) => isWithin(path, each, os)))
        ? await unlessAccepted("a file of the workspace")
        : any;
    }
    case "client": {
      const address = isBridge(spec) ? remoteAddress(spec.env) : undefined;
      return {
        ...limited("a client"),
        ...(address === undefined ? {} : { host: hostAndPort(address) }),
      };
    }
    case "pack": {
      const shipped = join(context.programRoot, "personas");
      return context.pack !== undefined && isWithin(context.pack, shipped, os)
        ? any
        : await unlessAccepted("a pack that does not ship with skep");
    }
    default:
      return origin.kind satisfies never;
  }
}

/** An origin in a few words, as the audit shows it. */
export function originText({ kind, where }: Origin): string {
  if (kind === "pack") return where.startsWith("pack ") ? where : `pack ${where}`;
  return kind === "client" ? `client ${where}` : where;
}

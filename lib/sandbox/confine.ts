import { dirname, join } from "@std/path";
import { findDeno } from "../host/deno_binary.ts";
import { confineLaunch, type Confiner } from "./confiner.ts";
import type { LaunchContext } from "./context.ts";
import type { Launch, Parts, Target } from "./launch.ts";
import { lacks } from "./lacks.ts";
import { networkOf } from "./network.ts";
import { protectedPaths } from "./never_granted.ts";
import { PROXY_VARIABLES } from "./proxy_variables.ts";
import { openServerProxy, type ServerProxy } from "./server_proxy.ts";
import { shownPrograms } from "./toolchains.ts";
import { unenforcedLimits } from "./unenforced_limits.ts";

/**
 * Puts a prepared launch behind the operating system's confinement, and opens the proxy that is its
 * way to the network where it needs one.
 */
export async function confine(
  launch: Launch,
  parts: Pick<Parts, "target" | "places" | "root" | "code">,
  confiner: Confiner,
  context: LaunchContext,
): Promise<Launch> {
  const { grant, kind } = launch;
  if (networkOf(grant, kind, confiner.backend.name) !== "proxied") {
    return await confineWith(undefined, launch, parts, confiner, context);
  }
  const deno = parts.places.deno || await findDeno(context.host);
  const proxy = await openServerProxy(grant, parts.root, deno, context);
  try {
    return await confineWith(proxy, launch, parts, confiner, context);
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

async function confineWith(
  proxy: ServerProxy | undefined,
  launch: Launch,
  { target, places, root, code }: Pick<Parts, "target" | "places" | "root" | "code">,
  confiner: Confiner,
  context: LaunchContext,
): Promise<Launch> {
  const { kind, grant } = launch;
  const { env } = launch.command;
  const programs = kind === "native" || grant.run.length > 0
    ? await shownPrograms(
      env.PATH ?? "",
      context,
      await protectedPaths(context, {
        denoDir: places.denoDir,
        temporary: dirname(root),
      }),
    )
    : { paths: [], variables: {}, path: env.PATH ?? "" };
  const inner = {
    ...launch.command,
    env: {
      ...programs.variables,
      ...env,
      PATH: programs.path,
      ...(proxy === undefined ? {} : PROXY_VARIABLES),
    },
  };
  const ownFiles = [
    ...programFiles(target, context),
    ...programs.paths,
    ...(code === undefined ? [] : [code]),
    ...(kind === "native" ? [inner.program] : []),
    ...proxy?.files ?? [],
  ];
  const input = {
    grant,
    kind,
    places: { ...places, ownFiles: [] },
    ownFiles,
    ...(target.kind === "script" ? { script: target.path } : {}),
    ...(proxy === undefined ? {} : { forwarder: proxy.forwarder }),
  };
  const { command, confinement, release } = await confineLaunch(
    inner,
    input,
    root,
    confiner,
    context,
  );
  const backend = confiner.backend.name;
  const isRoot = context.host.isRoot();
  const unenforced = unenforcedLimits(grant, backend, isRoot, confiner.groups);
  const missing = await lacks(
    grant,
    confinement,
    kind === "native" ? inner.program : undefined,
    context.host,
    inner.args,
  );
  const untold = unenforced.filter(({ isTold }) => isTold);
  return {
    ...launch,
    command,
    lacks: [...launch.lacks ?? [], ...missing],
    notices: [
      ...launch.notices,
      ...missing.map((text) => `Server "${launch.server}" ${text}`),
      ...untold.map(({ text }) => `Server "${launch.server}": ${text}`),
    ],
    confined: {
      backend,
      confinement,
      inner,
      toolchains: programs.paths,
      unenforced: unenforced.map(({ text }) => text),
    },
    ...(proxy === undefined ? {} : { takeRefused: proxy.takeRefused }),
    release: async () => {
      await release();
      await proxy?.close();
      await launch.release();
    },
  };
}

/** Files of skep's own that Deno reads when it starts a server. */
function programFiles(target: Target, { programRoot, bundles }: LaunchContext): string[] {
  const own = (...names: string[]) => names.map((name) => join(programRoot, name));
  switch (target.kind) {
    case "bundled":
      return bundles === undefined
        ? own("deno.json", "import_map.json", "deno.lock", "lib", join("tools", target.name))
        : [bundles];
    case "npm":
      return [target.fetched.lock];
    case "script":
      return own(join("tools", "entry"));
    case "native":
      return [];
    default:
      return target satisfies never;
  }
}

import { join } from "@std/path";
import { pathToFileURL } from "node:url";
import type { LaunchContext } from "./context.ts";

/** What every server that runs in Deno is started with: nothing is asked, nothing is fetched. */
const ALWAYS: readonly string[] = ["run", "--no-prompt", "--no-remote", "--cached-only"];
/** Keeps the workspace's configuration out: its `deno.json`, `package.json`, lock file. */
const NO_CONFIG: readonly string[] = ["--no-config", "--node-modules-dir=none"];

/** The arguments of `deno` for a server that ships with skep, from its bundle or from source. */
export function bundledArguments(
  name: string,
  flags: readonly string[],
  args: readonly string[],
  context: Pick<LaunchContext, "programRoot" | "bundles">,
): string[] {
  if (context.bundles !== undefined) {
    const bundle = join(context.bundles, `${name}.js`);
    return [...ALWAYS, ...NO_CONFIG, "--no-lock", "--no-npm", ...flags, bundle, ...args];
  }
  const source = bundledSource(name, context);
  return [...ALWAYS, ...ownConfiguration(context), ...flags, source, ...args];
}

/** The main module of a server that ships with skep. */
export function bundledSource(name: string, context: Pick<LaunchContext, "programRoot">): string {
  return join(context.programRoot, "tools", name, "main.ts");
}

/** skep's own configuration and lock file, which the lock file must already fit. */
export function ownConfiguration({ programRoot }: Pick<LaunchContext, "programRoot">): string[] {
  const config = `--config=${join(programRoot, "deno.json")}`;
  return [config, `--lock=${join(programRoot, "deno.lock")}`, "--frozen"];
}

/** The arguments of `deno` for a package, as the lock file pins it. */
export function npmArguments(
  specifier: string,
  lock: string,
  flags: readonly string[],
  args: readonly string[],
): string[] {
  return [...ALWAYS, ...NO_CONFIG, `--lock=${lock}`, "--frozen", ...flags, specifier, ...args];
}

/** The arguments of `deno` for a script: it starts through the small entry that imports it. */
export function scriptArguments(
  script: string,
  flags: readonly string[],
  args: readonly string[],
  { programRoot }: Pick<LaunchContext, "programRoot">,
): string[] {
  const entry = pathToFileURL(join(programRoot, "tools", "entry", "main.ts"));
  entry.searchParams.set("target", pathToFileURL(script).href);
  return [...ALWAYS, ...NO_CONFIG, "--no-lock", ...flags, entry.href, ...args];
}

import { join } from "@std/path";
import { SkepError } from "../errors.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import { bundledSource, ownConfiguration } from "./deno_commands.ts";
import { runDeno } from "./run_deno.ts";

/**
 * Sees to it that what a bundled server imports is in Deno's cache, since the server itself fetches
 * nothing. Done once for each content of the lock file; a marker in skep's cache folder remembers it,
 * unless `context.isRefetching`. Offline it only looks. From a bundle there is nothing to do.
 *
 * @throws {SkepError} `PACKAGE_FETCH_FAILED`
 */
export async function warmBundled(
  name: string,
  server: string,
  context: LaunchContext,
  places: Pick<ServerPlaces, "deno" | "denoDir">,
): Promise<void> {
  if (context.bundles !== undefined) return;
  const { files } = context.host;
  const marker = await markerPath(name, context, places.denoDir);
  if (!context.isRefetching && await files.stat(marker) !== undefined) return;
  const { code, stderr } = await runDeno(
    [
      "cache",
      "--quiet",
      ...ownConfiguration(context),
      ...(context.isOffline ? ["--cached-only"] : []),
      bundledSource(name, context),
    ],
    context.programRoot,
    context,
    places,
  );
  if (code !== 0) {
    const why = context.isOffline ? "nothing is fetched offline" : stderr;
    throw new SkepError(
      "PACKAGE_FETCH_FAILED",
      `Cannot fetch what server "${server}" imports: ${why}`,
      { server, package: `skep's server ${name}` },
    );
  }
  await files.makeFolder(join(context.folders.cache, "warm"));
  await files.writeText(marker, `${places.denoDir}\n`);
}

async function markerPath(name: string, context: LaunchContext, denoDir: string): Promise<string> {
  const lock = await context.host.files.readText(
    join(context.programRoot, "deno.lock"),
    context.limits.maxLockFileBytes,
  );
  const bytes = new TextEncoder().encode(`${name}\0${denoDir}\0${lock}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return join(context.folders.cache, "warm", hash.slice(0, 32));
}

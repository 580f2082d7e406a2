import { join } from "@std/path";
import type { LaunchContext } from "./context.ts";

/**
 * The lines of an `.npmrc` that say which registry a package comes from, the person's own: a server's
 * private home gets them, since Deno keeps its cache by registry. Tokens stay behind.
 */
export async function registryLines(
  { host, limits }: Pick<LaunchContext, "host" | "limits">,
): Promise<string> {
  const home = host.env(host.platform.os === "windows" ? "USERPROFILE" : "HOME");
  const file = home ? join(home, ".npmrc") : undefined;
  const isThere = file !== undefined && (await host.files.stat(file))?.isFile;
  const text = isThere ? await host.files.readText(file, limits.maxConfigFileBytes) : "";
  const lines = text.split(/\r?\n/)
    .filter((line) => /^\s*(@[\w.~-]+:)?registry\s*=/.test(line) && !line.includes("${"));
  const chosen = host.env("NPM_CONFIG_REGISTRY");
  if (chosen) lines.push(`registry=${chosen}`);
  return lines.map((line) => `${line.replace(/\/\/[^/@]*@/, "//")}\n`).join("");
}

import { dirname, join } from "@std/path";
import type { Host } from "../host/host.ts";
import type { Confinement } from "./confinement.ts";
import { entryLine } from "./remedy.ts";
import type { Grant } from "./grant.ts";
import { isLocalService, parseNetEntry } from "./net.ts";
import { isWithin } from "./paths.ts";

/** To listen at a lower port takes privileges that nothing in a confinement has. */
const LEAST_OPEN_PORT = 1024;
/** A script's first line is looked for in files up to this length, in bytes: programs are longer. */
const LONGEST_SCRIPT = 64 * 1024;

/**
 * What a confined server will miss although its grant names it, or although it cannot run without: each is the rest
 * of a sentence about the server, with what to do.
 *
 * @param program The native program that it is; absent where Deno runs it.
 * @param args The words that the program is started with: a script of its own may be among them.
 */
export async function lacks(
  grant: Grant,
  { mounts, forwarder }: Pick<Confinement, "mounts" | "forwarder">,
  program: string | undefined,
  { files }: Pick<Host, "files">,
  args: readonly string[] = [],
): Promise<string[]> {
  const { write, net } = grant;
  const sockets = net.map(({ value }) => value).filter((value) => value.startsWith("unix:"))
    .map((value) => value.slice("unix:".length));
  const isMissing = async (path: string) =>
    await files.stat(path).catch(() => undefined) === undefined;
  const lines: string[] = [];
  for (const { value } of write) {
    if (!await isMissing(value)) continue;
    lines.push(`cannot write ${value}, which is not there: make it before the server starts`);
  }
  for (const path of sockets) {
    if (!await isMissing(path)) continue;
    lines.push(`cannot connect to ${path}, which is not there when the server starts`);
  }
  for (const { value } of forwarder === undefined ? [] : net) {
    const entry = parseNetEntry(value, { server: grant.server, entry: "net" }, "linux");
    if (!isLocalService(entry) || (entry.port ?? LEAST_OPEN_PORT) >= LEAST_OPEN_PORT) continue;
    lines.push(
      `reaches ${value} through HTTP_PROXY alone: its own loopback opens no port below ${LEAST_OPEN_PORT}`,
    );
  }
  if (program === undefined) return lines;
  const isShown = (path: string) =>
    mounts.some(({ type, path: shown }) =>
      (type === "read" || type === "write") && isWithin(path, shown, "linux")
    );
  const add = (path: string) => entryLine("read", path, grant);
  const interpreter = await interpreterOf(program, files);
  if (interpreter !== undefined && !isShown(interpreter)) {
    const prefix = dirname(dirname(interpreter)); // its libraries lie beside its folder
    const shown = prefix === "/" ? interpreter : prefix;
    lines.push(`cannot see ${interpreter}, which runs it: ${add(shown)}`);
  }
  for (const path of args.filter((arg) => arg.startsWith("/"))) {
    const real = await files.realPath(path).catch(() => path);
    const facts = isShown(real) ? undefined : await files.stat(real).catch(() => undefined);
    if (facts?.isFile) {
      lines.push(`cannot see ${path}, which its command names: ${add(dirname(path))}`);
    }
  }
  const own = dirname(dirname(program));
  if (
    await files.stat(join(own, "pyvenv.cfg")).catch(() => undefined) !== undefined && !isShown(own)
  ) {
    lines.push(`cannot see ${own}, where its packages lie: ${add(own)}`);
  }
  return lines;
}

/** The program that runs a script, canonical; undefined for anything but a script, and where there is none. */
async function interpreterOf(
  script: string,
  files: Pick<Host["files"], "readText" | "realPath">,
): Promise<string | undefined> {
  const text = await files.readText(script, LONGEST_SCRIPT).catch(() => "");
  const [, path] = /^#! *(\/\S+)/.exec(text) ?? [];
  return path === undefined ? undefined : await files.realPath(path).catch(() => undefined);
}

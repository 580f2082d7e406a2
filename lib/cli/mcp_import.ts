import { dirname, join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { allowedVariables, unresolvedIn } from "../persona/interpolate.ts";
import { personaInvalid } from "../persona/problems.ts";
import { noteLine, parseServers } from "../persona/server_file.ts";
import { mergeEntries, permissionsLeftOut, serverEntries } from "../persona/server_import.ts";
import type { Invocation } from "./flags.ts";
import { readSettings } from "./settings.ts";

/** The file that imported servers are kept in, in the configuration folder. */
export const IMPORTED_SERVERS = "mcp.json";

/**
 * `skep mcp import FILE`: takes the servers of another program's file, Claude desktop's, VS Code's or Zed's,
 * into skep's own, for `--mcp`. Nothing is started, and nothing is granted: each has the default grant until
 * somebody writes its permissions; those that the file asks for are shown and left out. An entry that skep's file has already stays.
 *
 * @throws {SkepError} `CONFIG_INVALID` when either file cannot be used.
 */
export async function importServers(
  path: string,
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const { cwd, folders, isJson, limits } = await readSettings(invocation, host);
  const { files } = host;
  const source = resolve(cwd, path);
  const text = await files.readText(source, limits.maxConfigFileBytes).catch((cause) => {
    const message = `Cannot import ${source}: ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source }, { cause });
  });
  const { specs, off, refused, notes } = parseServers(text, source, {
    kind: "file",
    where: source,
  });
  const target = join(folders.config, IMPORTED_SERVERS);
  const isThere = await files.stat(target) !== undefined;
  const before = isThere ? await files.readText(target, limits.maxConfigFileBytes) : undefined;
  const merged = mergeEntries(before, serverEntries(specs));
  if (merged === undefined) {
    const message = `Cannot add servers to ${target}: it is not a file of servers`;
    throw new SkepError("CONFIG_INVALID", message, { source: target });
  }
  const { added, conflicts } = merged;
  if (added.length > 0) {
    await files.makeFolder(dirname(target));
    await files.writeText(target, merged.text);
  }
  for (const note of notes) host.warn(noteLine(note));
  const variables = { allowed: allowedVariables(host.env), env: host.env };
  for (const spec of specs.filter(({ name }) => added.includes(name))) {
    const left = permissionsLeftOut(spec);
    if (left !== undefined) {
      host.warn(
        `Server "${spec.name}" asks for permissions, which are not imported: ${
          JSON.stringify(left)
        }. Write what it may have into ${target}`,
      );
    }
    for (const { message } of unresolvedIn(spec, variables)) host.warn(message);
  }
  for (const name of off) host.warn(`Server "${name}" is switched off and not imported`);
  for (const { name, problems } of refused) {
    const [problem] = problems.all;
    host.warn(`Server "${name}" is left out. ${problem && personaInvalid(problem).message}`);
  }
  for (const name of conflicts) {
    host.warn(`Server "${name}" is in ${target} already, otherwise: it stays as it is`);
  }
  const leftOut = refused.map(({ name }) => name);
  await host.print(
    isJson
      ? `${JSON.stringify({ file: target, added, off, conflicts, refused: leftOut })}\n`
      : added.map((name) => `${name}\n`).join(""),
  );
  if (added.length === 0 && conflicts.length < specs.length) {
    host.warn(`Nothing was added: ${target} has the servers of ${source} already`);
  }
  if (!isJson && added.length > 0) {
    host.warn(
      `Use them: skep chat --mcp ${target}. See first what each may touch: skep audit --mcp ${target}`,
    );
  }
  return refused.length + conflicts.length === 0 ? 0 : 1;
}

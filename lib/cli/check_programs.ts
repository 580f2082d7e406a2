import { sep } from "@std/path";
import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { allowedVariables, interpolated } from "../persona/interpolate.ts";
import type { Pack } from "../persona/pack.ts";
import type { Problems } from "../persona/problems.ts";
import { resolvePersona } from "../persona/resolve.ts";
import { readCommand } from "../sandbox/command.ts";
import { findScript } from "../sandbox/script.ts";
import type { ServerSpec } from "../sandbox/spec.ts";

/** The permission bits of which any makes a file a program. */
const EXECUTABLE = 0o111;

/**
 * Tells of servers whose command line cannot be used, and of those whose script or program should lie in the pack and does
 * not. What lies elsewhere is the machine's, and is looked for when the server starts.
 *
 * @param workspace Canonical.
 */
export async function checkPrograms(
  pack: Pack,
  problems: Problems,
  workspace: string,
  host: Host,
): Promise<void> {
  const variables = { allowed: allowedVariables(host.env), env: host.env };
  const told = new Set<string>();
  for (const own of pack.personas) {
    const persona = resolvePersona(own, pack);
    for (const written of persona.servers) {
      const spec = interpolated(written, { persona, ...variables });
      if (spec.problem !== undefined) continue; // it is told
      const reason = await programProblem(spec, pack.folder, workspace, host);
      if (reason === undefined || told.has(reason)) continue;
      told.add(reason);
      const isOwn = own.servers.some(({ name }) => name === spec.name);
      const at = (isOwn ? own.serverAt : pack.serverAt)(spec.name, "command");
      problems.add({ severity: "error", ...at, reason });
    }
  }
}

async function programProblem(
  spec: ServerSpec,
  pack: string,
  workspace: string,
  host: Host,
): Promise<string | undefined> {
  const { files } = host;
  try {
    const command = readCommand(spec);
    if (command.kind === "script" && !command.path.includes("\0")) { // not in the workspace
      await findScript(command.path, spec, { host, workspace, pack });
    }
    if (command.kind !== "native" || !command.command.startsWith(pack + sep)) return undefined;
    const facts = await files.stat(command.command);
    const cannot = `Cannot start server "${spec.name}": `;
    if (!facts?.isFile) return `${cannot}there is no file ${command.command}`;
    if (facts.mode === undefined || (facts.mode & EXECUTABLE) !== 0) return undefined;
    return `${cannot}${command.command} is no program: chmod +x it`;
  } catch (error) {
    return messageOf(error);
  }
}

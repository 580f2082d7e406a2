import process from "node:process";
import { createInterface } from "node:readline/promises";
import type { Host } from "../host/host.ts";
import { wideningLines } from "../sandbox/accept/widenings.ts";
import { printable } from "../sandbox/render_audit.ts";
import { showServers } from "./audit.ts";
import type { AskConsent } from "./consent.ts";
import type { Run } from "./prepare_run.ts";

/**
 * Asks in the terminal whether the servers of a pack, or of the workspace's own file, get what they ask for:
 * shows the audit of each, or of one that was accepted before what is more now. Only an answer in words is a yes.
 */
export function askConsent(run: Run, host: Host, signal: AbortSignal): AskConsent {
  return async (source, standing) => {
    if (standing.kind === "widened") {
      host.warn(`${printable(source.title)} asks for more than you have accepted:`);
      for (const line of wideningLines(standing.widenings)) host.warn(`  ${printable(line)}`);
    } else {
      const names = source.requests.map(({ server }) => server);
      const specs = [...run.servers, ...run.hooks].filter(({ name, origin }) =>
        origin.kind === source.kind && names.includes(name)
      );
      host.warn(`You have not used ${printable(source.title)} before. Its servers ask for this:`);
      await showServers(specs, { run, host, signal, isAccepted: () => Promise.resolve(true) });
    }
    const question = source.kind === "pack"
      ? "Start them with that? [y = yes, n = no]"
      : "Give them that? [y = yes, n = no, they get the workspace at most]";
    const editor = createInterface({ input: process.stdin, output: process.stdout });
    try {
      for (;;) {
        const answer = (await editor.question(`${question} `, { signal })).trim().toLowerCase();
        if (["y", "yes"].includes(answer)) return true;
        if (["n", "no"].includes(answer)) return false;
      }
    } finally {
      editor.close();
    }
  };
}

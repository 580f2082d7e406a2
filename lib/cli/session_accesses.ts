import type { Host } from "../host/host.ts";
import type { DenialReader } from "../mcp/call_result.ts";
import { AccessLog } from "../sandbox/accesses/access_log.ts";
import type { Redactor } from "../sandbox/redact.ts";
import type { Refusal } from "../sandbox/server_proxy.ts";
import type { Settings } from "./settings.ts";

/**
 * Opens the access log of a session; undefined unless `SKEP_LOG_ACCESS=1`.
 *
 * @throws {SkepError} `CONFIG_INVALID` when it cannot be written.
 */
export async function sessionAccesses(
  path: string,
  { limits }: Pick<Settings, "limits">,
  host: Host,
  redact: Redactor,
  onNotice: (text: string) => void,
): Promise<AccessLog | undefined> {
  if (host.env("SKEP_LOG_ACCESS")?.trim() !== "1") return undefined;
  return await AccessLog.open(path, { world: host, limits, redact, onNotice });
}

/** A reader of denials that logs each, too: what a server said itself, and what was concluded. */
export function loggingDenials(reader: DenialReader, log: AccessLog | undefined): DenialReader {
  if (log === undefined) return reader;
  return {
    ...reader,
    findDenial: (grant, result) => {
      const denial = reader.findDenial(grant, result);
      if (denial !== undefined) {
        const { server, access, value, isCertain } = denial;
        const doubt = isCertain ? {} : { isCertain } as const;
        log.add({ server, access, value, allowed: false, source: "result", ...doubt });
      }
      return denial;
    },
  };
}

/** What is told of refused connections, which are logged, too. */
export function loggingRefusals(
  log: AccessLog,
  tell: ((refusal: Refusal) => void) | undefined,
): (refusal: Refusal) => void {
  return (refusal) => {
    const { server, value } = refusal;
    log.add({ server, access: "net", value, allowed: false, source: "proxy" });
    tell?.(refusal);
  };
}

/** What a person's editor does in a server's place is logged as what that server does. */
export function loggingEditor(
  log: AccessLog,
  { server }: { readonly server: string },
): (access: "read" | "write", path: string) => void {
  return (access, value) => log.add({ server, access, value, allowed: true, source: "editor" });
}

import { assertEquals } from "@std/assert";
import type { DenialReader } from "../mcp/call_result.ts";
import type { AccessLog } from "../sandbox/accesses/access_log.ts";
import type { Refusal } from "../sandbox/server_proxy.ts";
import { loggingDenials, loggingRefusals } from "./session_accesses.ts";

/** A log that keeps what is added. */
function logOf(): { readonly added: unknown[]; readonly log: AccessLog } {
  const added: unknown[] = [];
  return { added, log: { add: (record: unknown) => added.push(record) } as unknown as AccessLog };
}

const GRANT = {} as Parameters<DenialReader["findDenial"]>[0];

Deno.test("loggingDenials() logs each denial that is found, and marks one that was concluded", () => {
  const { added, log } = logOf();
  const denial = (isCertain: boolean) => ({ server: "s", access: "read", value: "/a", isCertain });
  const found = [denial(true), undefined, denial(false)];
  const left = [...found];
  const reader: DenialReader = { findDenial: () => left.shift(), explainDenial: () => "why" };
  const logging = loggingDenials(reader, log);
  assertEquals(found.map(() => logging.findDenial(GRANT, {})), found);
  const line = { server: "s", access: "read", value: "/a", allowed: false, source: "result" };
  assertEquals(added, [line, { ...line, isCertain: false }]);
  assertEquals(loggingDenials(reader, undefined), reader);
});

Deno.test("loggingRefusals() logs what a server's proxy refused, and tells it as before", () => {
  const { added, log } = logOf();
  const told: Refusal[] = [];
  const refusal: Refusal = {
    server: "s",
    host: "a.example",
    port: 443,
    value: "a.example:443",
    text: "no",
  };
  loggingRefusals(log, (each) => told.push(each))(refusal);
  loggingRefusals(log, undefined)(refusal);
  assertEquals(told, [refusal]);
  const line = { server: "s", access: "net", value: "a.example:443", allowed: false };
  assertEquals(added, [{ ...line, source: "proxy" }, { ...line, source: "proxy" }]);
});

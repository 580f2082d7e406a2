import { assertEquals } from "@std/assert";
import { type ServerLog, serverLog } from "./server_log.ts";

const LAUNCH = {
  server: "s",
  redact: (text: string) => text.replaceAll("t0ken-123", "[secret TOKEN]"),
};

Deno.test("serverLog() takes out control characters and secrets, then cuts (T91)", () => {
  const lines: ServerLog[] = [];
  const log = serverLog(LAUNCH, 64, (line) => lines.push(line));
  log("stderr", "\u001b[31mkey t0ken-123\u001b[0m");
  log("log", `${"x".repeat(40)} t0ken-123 ${"x".repeat(40)}`);
  assertEquals(lines, [
    { server: "s", kind: "stderr", text: "key [secret TOKEN]" },
    { server: "s", kind: "log", text: `${"x".repeat(40)} [secret TOK [truncated]` },
  ]);
});

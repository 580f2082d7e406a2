import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { echo, FakeSession, never } from "../../tests/acp_client.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { serveAcp } from "./serve_acp.ts";

Deno.test("serveAcp() answers ids of any size and text exactly, and a last line that has no end", async () => {
  let written = "";
  const serve = (input: string) =>
    serveAcp({
      ...{ limits: DEFAULT_LIMITS, agentInfo: () => ({ name: "skep", title: "G", version: "1" }) },
      ...{ resolveModel: () => Promise.reject(new Error()), models: () => Promise.resolve([]) },
      open: () => Promise.resolve(new FakeSession("s1", echo)),
      input: new Blob([input]).stream(),
      output: { write: (bytes) => Promise.resolve(written += new TextDecoder().decode(bytes)) },
      world: { sleep: never, warn: (line) => void (written += line) },
      signal: new AbortController().signal,
    });
  const request = (id: string, method = "no/such") =>
    `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{"protocolVersion":1}}`;
  const ids = ["9007199254740993", "-12345678901234567890", '"caf\u00e9 1"', "7", "null"];
  await serve(`${ids.map((id) => request(id)).join("\n")}\n${request("18446744073709551615")}`);
  const told = [...written.matchAll(/"id":(.*?),"error"/g)].map(([, id]) => id);
  assertEquals(told, [...ids, "18446744073709551615"]);
  written = "";
  await serve(`${request("9007199254740995", "initialize")}\n{"jsonrpc":"2.0","id":1,"meth`);
  assertMatch(written, /"id":9007199254740995,"result"/);
  assertStringIncludes(written, "The client's last line was cut off: it is dropped");
});

import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../../errors.ts";
import type { Permissions, ServerSpec } from "../spec.ts";
import { type GrantRequest, grantRequest } from "./grant_request.ts";

function specOf(permissions?: Permissions, more: Partial<ServerSpec> = {}): ServerSpec {
  return {
    name: "s",
    command: "./server",
    args: [],
    env: {},
    origin: { kind: "pack", where: "/p/a.persona.md" },
    ...(permissions === undefined ? {} : { permissions }),
    ...more,
  };
}

function request(permissions?: Permissions, more: Partial<ServerSpec> = {}): GrantRequest {
  return grantRequest(specOf(permissions, more), "linux");
}

Deno.test("grantRequest() sorts entries, and leaves out what lies within another one", () => {
  const { read, write, run } = request({
    read: ["/data/b", "${WORKSPACE}", "${WORKSPACE}/docs", "/data/b", "/data/a/", "${TMP}/x"],
    write: ["${TMP}"],
    run: ["git", "bash", "git"],
  });
  assertEquals(read, ["${WORKSPACE}", "/data/a", "/data/b"]);
  assertEquals([write, run], [["${TMP}"], ["bash", "git"]]);
});

Deno.test("grantRequest() writes hosts the one way, and keeps what the operator fills in", () => {
  const { net } = request({ net: ["EXAMPLE.org:443", "loopback", "${REGISTRIES}"] });
  assertEquals(net, ["${REGISTRIES}", "example.org:443", "loopback"]);
});

Deno.test("grantRequest() writes out what a server gets that declares nothing", () => {
  assertEquals(request(), {
    server: "s",
    command: ["./server"],
    read: ["${WORKSPACE}"],
    write: ["${TMP}"],
    net: [],
    run: [],
    env: [],
    sys: [],
    secrets: [],
    limits: {},
    sandbox: "require",
  });
  const known = request(undefined, {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem@1", "${WORKSPACE}/docs", "/srv", "rel"],
  });
  assertEquals(known.write, ["${WORKSPACE}/docs", "${WORKSPACE}/rel", "/srv"]);
  const context7 = request(undefined, { command: "npx", args: ["-y", "@upstash/context7-mcp"] });
  assertEquals(context7.net, ["context7.com:443", "mcp.context7.com:443"]);
});

Deno.test("grantRequest() has the names that a server's entry sets, and no values", () => {
  const asked = request(
    { env: ["FOO"], secrets: { TOKEN: "env:GH_TOKEN" } },
    { env: { BAR: "a value" }, secrets: { KEY: "file:/k" } },
  );
  assertEquals([asked.env, asked.secrets], [["BAR", "FOO"], ["KEY=file:/k", "TOKEN=env:GH_TOKEN"]]);
  assertEquals(JSON.stringify(asked).includes("a value"), false);
});

Deno.test("grantRequest() is cut down to the persona's ceiling", () => {
  const permissions: Permissions = {
    read: ["/data", "${WORKSPACE}"],
    write: ["${WORKSPACE}", "${TMP}"],
    net: ["*.example.org:443", "other.net"],
    run: ["bash", "git"],
    sys: ["hostname"],
  };
  const ceiling = {
    file: "/p/a.persona.md",
    permissions: {
      read: ["${WORKSPACE}"],
      write: [],
      net: ["api.example.org"],
      run: ["git"],
      sys: [],
    },
  };
  const { read, write, net, run, sys } = request(permissions, { ceiling });
  assertEquals([read, write, net], [["${WORKSPACE}"], ["${TMP}"], ["api.example.org:443"]]);
  assertEquals([run, sys], [["git"], []]);
});

Deno.test("grantRequest() takes a path with .. for nothing but itself", () => {
  const { read } = request({ read: ["${WORKSPACE}", "${WORKSPACE}/../other"] });
  assertEquals(read, ["${WORKSPACE}", "${WORKSPACE}/../other"]);
});

Deno.test("grantRequest() refuses an entry that is none", () => {
  assertThrows(() => request({ net: ["http://x/"] }), SkepError, "write host or host:port");
});

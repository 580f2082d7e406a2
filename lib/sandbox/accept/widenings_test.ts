import { assertEquals } from "@std/assert";
import type { GrantRequest } from "./grant_request.ts";
import { wideningLines, widenings } from "./widenings.ts";

const BEFORE: GrantRequest = {
  server: "s",
  command: ["./server", "--fast"],
  read: ["${WORKSPACE}", "/data"],
  write: ["/out"],
  net: ["*.example.org:443"],
  run: ["git"],
  env: ["FOO"],
  sys: ["hostname"],
  secrets: ["TOKEN=env:GH_TOKEN"],
  limits: { memory_mb: 512 },
  sandbox: "require",
};

function more(now: Partial<GrantRequest>, before: Partial<GrantRequest> = {}) {
  return widenings([{ ...BEFORE, ...before }], [{ ...BEFORE, ...now }], "linux")
    .map(({ field, asked, before }) =>
      before === undefined ? [field, asked] : [field, before, asked]
    );
}

Deno.test("widenings() finds what is more in every field", () => {
  assertEquals(more({}), []);
  assertEquals(more({ read: ["/data", "/dat"] }), [["read", "/dat"]]);
  assertEquals(more({ write: ["/out", "/data"] }), [["write", "/data"]]);
  assertEquals(more({ net: ["example.com:443"] }), [["net", "example.com:443"]]);
  assertEquals(more({ net: ["*.example.org"] }), [["net", "*.example.org"]]);
  assertEquals(more({ run: ["bash", "git"] }), [["run", "bash"]]);
  assertEquals(more({ env: ["BAR", "FOO"] }), [["env", "BAR"]]);
  assertEquals(more({ sys: ["hostname", "uid"] }), [["sys", "uid"]]);
  assertEquals(more({ secrets: ["TOKEN=env:OTHER"] }), [["secrets", "TOKEN=env:OTHER"]]);
  assertEquals(more({ limits: { memory_mb: 513 } }), [
    ["limits", "memory_mb 512", "memory_mb 513"],
  ]);
  assertEquals(more({ sandbox: "prefer" }), [["sandbox", "require", "prefer"]]);
  assertEquals(more({ script: "sha256:1" }), [["script", "sha256:1"]]);
  assertEquals(more({ script: "sha256:1" }, { script: "sha256:1" }), []);
  assertEquals(more({ script: "sha256:2" }, { script: "sha256:1" }), [
    ["script", "sha256:1", "sha256:2"],
  ]);
  assertEquals(more({ command: ["./server", "--fast", "x"] }), [
    ["command", "./server --fast", "./server --fast x"],
  ]);
  assertEquals(more({ values: { FOO: "b" } }, { values: { FOO: "a" } }), [
    ["env", "FOO, with another value"],
  ]);
  assertEquals(more({ masked: "b" }, { masked: "a" }), [
    [
      "command",
      "./server --fast",
      "./server --fast (another value where it says [secret])",
    ],
  ]);
});

Deno.test("widenings() has none where the values were not recorded yet", () => {
  assertEquals(more({ values: { FOO: "b" }, masked: "b" }), []);
  assertEquals(more({}, { values: { FOO: "b" }, masked: "b" }), []);
});

Deno.test("widenings() tells all that a new server asks for, not its command alone", () => {
  assertEquals(more({ server: "t", limits: { memory_mb: 4096 }, sandbox: "prefer" }), [
    ["server", "./server --fast"],
    ["read", "${WORKSPACE}"],
    ["read", "/data"],
    ["write", "/out"],
    ["net", "*.example.org:443"],
    ["run", "git"],
    ["env", "FOO"],
    ["sys", "hostname"],
    ["secrets", "TOKEN=env:GH_TOKEN"],
    ["limits", "memory_mb 2048", "memory_mb 4096"],
    ["sandbox", "require", "prefer"],
  ]);
});

Deno.test("widenings() has none for less, in every field", () => {
  const less: Partial<GrantRequest>[] = [
    { read: [] },
    { read: ["${WORKSPACE}/docs", "/data/a", "${TMP}/x"] },
    { read: ["/out/of"] }, // what may be written may be read
    { write: ["/out/a", "${TMP}"] },
    { net: ["api.example.org:443", "example.org:443"] },
    { run: [], env: [], sys: [], secrets: [] },
    { limits: { memory_mb: 511 } },
    { limits: { memory_mb: 512, processes: 512, cpu_seconds: 9 } },
  ];
  for (const each of less) assertEquals(more(each), [], JSON.stringify(each));
  assertEquals(widenings([BEFORE], [], "linux"), []);
  assertEquals(more({ sandbox: "require" }, { sandbox: "prefer" }), []);
});

Deno.test("widenings() takes a limit that is not asked for as skep's own", () => {
  assertEquals(more({ limits: {} }), [["limits", "memory_mb 512", "memory_mb 2048"]]);
  assertEquals(more({ limits: { memory_mb: 2048 } }, { limits: {} }), []);
  assertEquals(more({ limits: { memory_mb: 2049 } }, { limits: {} }).length, 1);
  assertEquals(more({ limits: {} }, { limits: { cpu_seconds: 5 } }), [
    ["limits", "cpu_seconds 5", "cpu_seconds unbounded"],
  ]);
});

Deno.test("widenings() is not misled by a path that climbs out", () => {
  assertEquals(more({ read: ["${WORKSPACE}/../other"] }), [["read", "${WORKSPACE}/../other"]]);
  assertEquals(more({ read: ["/data/../etc"] }), [["read", "/data/../etc"]]);
});

Deno.test("wideningLines() is a diff by server", () => {
  const lines = wideningLines(widenings([BEFORE], [
    { ...BEFORE, net: ["a.example"], limits: { memory_mb: 1024 } },
    { ...BEFORE, server: "t", read: [], write: [], run: [], env: [], sys: [], secrets: [] },
  ], "linux"));
  assertEquals(lines, [
    "server s",
    "  + net: a.example",
    "  - limits: memory_mb 512",
    "  + limits: memory_mb 1024",
    "server t",
    "  + new server: ./server --fast",
    "  + net: *.example.org:443",
  ]);
});

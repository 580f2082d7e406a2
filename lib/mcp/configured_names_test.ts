import { assertEquals } from "@std/assert";
import type { Origin, ServerSpec } from "../sandbox/spec.ts";
import { otherNames, serverMeant } from "./configured_names.ts";
import { nameServers } from "./server_names.ts";

function named(...entries: (readonly [name: string, kind: Origin["kind"]])[]): ServerSpec[] {
  return nameServers(entries.map(([name, kind]): ServerSpec => (
    { name, command: "x", args: [], env: {}, origin: { kind, where: "test" } }
  )));
}

Deno.test("otherNames() are of the configured server and of its own word for the tool", () => {
  const specs = named(["a__b", "file"], ["c", "file"]);
  const facts = [
    { server: "a_b", own: "fs.read", name: "a_b__fs_read" },
    { server: "c", own: "x", name: "c__x" },
  ];
  assertEquals(otherNames("a_b__fs_read", facts, specs), {
    own: ["a_b__fs.read", "a__b__fs_read", "a__b__fs.read"],
    shared: [],
  });
  assertEquals(otherNames("c__x", facts, specs), { own: [], shared: [] });
  // Not listed yet: its server waits for its first call.
  assertEquals(otherNames("a_b__late", facts, specs).own, ["a__b__late"]);
  assertEquals(otherNames("load_skill", facts, specs), { own: [], shared: [] });
});

Deno.test("otherNames() share the name that another server has by right", () => {
  const specs = named(["fs", "file"], ["fs", "client"]);
  const facts = [{ server: "fs-2", own: "read", name: "fs-2__read" }];
  assertEquals(otherNames("fs-2__read", facts, specs), { own: [], shared: ["fs__read"] });
});

Deno.test("serverMeant() prefers the operator's server to a client's, named again or not", () => {
  const specs = nameServers(named(["a__b", "client"], ["a__b", "file"]));
  assertEquals(specs.map(({ name }) => name), ["a_b-2", "a_b"]);
  assertEquals(serverMeant("a__b", specs)?.name, "a_b");
  assertEquals(serverMeant("a_b-2", specs)?.name, "a_b-2");
  assertEquals(serverMeant("z", specs), undefined);
});

import { assertEquals } from "@std/assert";
import type { ServerSpec } from "../sandbox/spec.ts";
import { nameServers } from "./server_names.ts";

function namesOf(...names: string[]): string[] {
  const specs = names.map((name): ServerSpec => (
    { name, command: "x", args: [], env: {}, origin: { kind: "flag", where: "test" } }
  ));
  return nameServers(specs).map(({ name }) => name);
}

Deno.test("nameServers() keeps good names, and numbers those that come twice (T41)", () => {
  assertEquals(namesOf("dev", "My-Files_2", "dev", "dev-2", "dev"), [
    "dev",
    "My-Files_2",
    "dev-3",
    "dev-2",
    "dev-4",
  ]);
});

Deno.test("nameServers() makes a good name of every bad one", () => {
  assertEquals(namesOf("a.b/c", "a__b___c", "", "ü", "a\nb"), [
    "a_b_c",
    "a_b_c-2",
    "server",
    "_",
    "a_b",
  ]);
});

Deno.test("nameServers() keeps a name of 128 characters, and cuts one of 129", () => {
  assertEquals(namesOf("x".repeat(128), "y".repeat(129)), ["x".repeat(128), "y".repeat(128)]);
});

Deno.test("a server listed before took the name of one that had it by right", () => {
  assertEquals(namesOf("a b", "a_b", "a.b"), ["a_b-2", "a_b", "a_b-3"]);
});

Deno.test("a client's server takes no name of a persona's, one that was mapped neither (T41)", () => {
  const spec = (name: string, kind: "pack" | "client"): ServerSpec => (
    { name, command: "x", args: [], env: {}, origin: { kind, where: "test" } }
  );
  const named = nameServers([spec("a b", "pack"), spec("a_b", "client")]);
  assertEquals(named.map(({ name }) => name), ["a_b", "a_b-2"]);
});

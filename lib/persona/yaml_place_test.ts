import { assertEquals } from "@std/assert";
import { yamlPlace } from "./yaml_place.ts";

const YAML = `name: a
# triggers: not this one
triggers:
  mentions: true

  keywords:
    - one
mcp_servers:
- name: x
  command: y
-
  "name": z
  env:
    # A: no
    A: 1
flow: { inner: 1 }
`;

Deno.test("yamlPlace() finds keys of mappings and items of lists in block form", () => {
  const at = (path: string) => {
    const place = yamlPlace(YAML, path);
    return place && [place.line, place.column];
  };
  assertEquals(at("name"), [1, 1]);
  assertEquals(at("triggers"), [3, 1]);
  assertEquals(at("triggers.keywords"), [6, 3]);
  assertEquals(at("triggers.keywords[0]"), [7, 7]);
  assertEquals(at("mcp_servers[0]"), [9, 3]);
  assertEquals(at("mcp_servers[0].command"), [10, 3]);
  assertEquals(at("mcp_servers[1].name"), [12, 3]);
  assertEquals(at("mcp_servers[1].env.A"), [15, 5]);
});

Deno.test("yamlPlace() finds nothing for what is not there, or stands in braces", () => {
  for (const path of ["", "command", "triggers.A", "mcp_servers[2]", "flow.inner", "mentions"]) {
    assertEquals([path, yamlPlace(YAML, path)], [path, undefined]);
  }
});

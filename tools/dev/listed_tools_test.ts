import { assertEquals } from "@std/assert";
import { listedTools } from "./listed_tools.ts";

const PLAIN = ["read_file", "write_file", "str_replace", "view_image", "todo"];

Deno.test("listedTools() has nothing that starts programs unless it is confined, or a person waived that", () => {
  const names = (isConfined: boolean, isUnconfined: boolean) =>
    listedTools({ isConfined, isUnconfined }, []).map((tool) => tool.name);
  const all = [...PLAIN, "shell", "shell_job", "rg", "tree"];
  assertEquals(names(false, false), PLAIN);
  assertEquals(names(true, false), all);
  assertEquals(names(false, true), all);
});

Deno.test("listedTools() leaves out what a setting turns off (T114)", () => {
  const tools = listedTools({ isConfined: true, isUnconfined: false }, ["shell", "todo"]);
  assertEquals(
    tools.map((tool) => tool.name),
    ["read_file", "write_file", "str_replace", "view_image", "shell_job", "rg", "tree"],
  );
});

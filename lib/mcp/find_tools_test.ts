import { assertEquals } from "@std/assert";
import { findTools } from "./find_tools.ts";

const tool = (name: string, description: string) => (
  { name, description, inputSchema: { type: "object" } }
);
const TOOLS = [
  tool("hub__list_issues", "Lists what was reported"),
  tool("hub__createIssue", "Reports something"),
  tool("mail__send", "Sends a letter, or reports an issue"),
  tool("db__query", "Runs SQL"),
];
const found = (query: string) => findTools(query, TOOLS).map(({ name }) => name);

Deno.test("findTools() gives those whose names have the words before those whose texts do", () => {
  assertEquals(found("create issues"), ["hub__createIssue", "hub__list_issues", "mail__send"]);
  assertEquals(found("SQL"), ["db__query"]);
  assertEquals(found("listing"), ["hub__list_issues"]);
  assertEquals(found("nothing of it"), []);
  assertEquals(found("..."), []);
});

import { assertEquals } from "@std/assert";
import { leftOutTools } from "./left_out_tools.ts";

function toolsOf(server: string, count: number) {
  return Array.from({ length: count }, (_, place) => ({ server, name: `${server}__t${place}` }));
}

Deno.test("the neighbours of a server with 1000 tools were not named among what is left out", () => {
  const tools = [...toolsOf("greedy", 1000), ...toolsOf("b", 3), ...toolsOf("c", 4)];
  assertEquals(
    leftOutTools(tools),
    'greedy__t0, greedy__t1, greedy__t2 and 997 more of "greedy"; b__t0, b__t1, b__t2; ' +
      'c__t0, c__t1, c__t2 and 1 more of "c"',
  );
});

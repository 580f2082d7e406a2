import { assertEquals } from "@std/assert";
import type { Text } from "../model/message.ts";
import { keepWhole } from "./keep_whole.ts";

const RAW = {
  content: [{ type: "text", text: "1\n[...]\n9" }],
  _meta: { "skep/whole": "/own/000001.txt" },
};

/** A server whose private folder has one file. */
const LAUNCH = {
  readOwn: (path: string) =>
    path === "/own/000001.txt"
      ? Promise.resolve(new TextEncoder().encode("1 t0ken 9"))
      : Promise.reject(new Error(`Cannot read "${path}": it leads out of /own`)),
  redact: (text: string) => text.replaceAll("t0ken", "[secret]"),
};

Deno.test("keepWhole() keeps the file that a result names, without secrets, and says how to read it", async () => {
  const kept: unknown[] = [];
  const keep = (content: unknown) => `a${kept.push(content)}`;
  assertEquals((await keepWhole(RAW, LAUNCH, keep)).content, [
    { type: "text", text: "1\n[...]\n9" },
    { type: "text", text: "[read_artifact a1 has it too, as long as the session is kept]" },
  ]);
  assertEquals(kept, [{ type: "text", text: "1 [secret] 9" } satisfies Text]);
});

Deno.test("keepWhole() keeps nothing where a result names no file of its server's, or nothing keeps", async () => {
  const keep = () => {
    throw new Error("nothing is kept");
  };
  for (const path of ["/etc/passwd", 5, undefined]) {
    const raw = { ...RAW, _meta: { "skep/whole": path } };
    assertEquals(await keepWhole(raw, LAUNCH, keep), raw);
  }
  assertEquals(await keepWhole(RAW, LAUNCH, undefined), RAW);
  const odd = { ...RAW, content: "text" };
  assertEquals(await keepWhole(odd, LAUNCH, keep), odd);
});

import { assertEquals } from "@std/assert";
import { hold } from "./hold.ts";

async function folder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "skep-hold-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("hold() tells the last one who lets go, of a folder and of a file", async () => {
  await using temp = await folder();
  const file = `${temp.path}/a`;
  await Deno.writeTextFile(file, "");
  for (const path of [temp.path, file]) {
    const said: string[] = [];
    const first = await hold(path);
    const second = await hold(path);
    await first!.release(() => Promise.resolve(void said.push("first")));
    await second!.release(() => Promise.resolve(void said.push("second")));
    assertEquals(said, ["second"]);
  }
});

Deno.test("hold() has nothing of what was removed before it was held", async () => {
  await using temp = await folder();
  assertEquals(await hold(`${temp.path}/gone`), undefined);
});

Deno.test("hold() gives up on what another one removed and made anew meanwhile", async () => {
  await using temp = await folder();
  const path = `${temp.path}/a`;
  await Deno.mkdir(path);
  const first = (await hold(path))!;
  const removed = first.release(async () => {
    const second = hold(path); // waits for the first one
    await new Promise((resolve) => setTimeout(resolve, 200));
    await Deno.remove(path);
    waiting = second;
  });
  let waiting: ReturnType<typeof hold> | undefined;
  await removed;
  assertEquals(await waiting, undefined);
});

Deno.test("hold() waits with an exclusive one until every other hold is let go", async () => {
  await using temp = await folder();
  const path = `${temp.path}/a`;
  await Deno.writeTextFile(path, "");
  const order: string[] = [];
  const first = await hold(path, true);
  const second = hold(path, true).then((held) => {
    order.push("second");
    return held;
  });
  order.push("first");
  await first!.release(() => Promise.resolve());
  await (await second)!.release(() => Promise.resolve());
  assertEquals(order, ["first", "second"]);
});

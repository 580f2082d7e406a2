// Kills a program at every point where its session's journal is written, and at random ones, and looks at
// what is left: nothing that was acknowledged is lost, no call is without its result.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { denoFiles } from "../lib/host/files.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import type { Message } from "../lib/model/message.ts";
import { loadSession } from "../lib/session/load_session.ts";
import { openStore } from "../lib/session/open_store.ts";
import { childEnv, type Ended, fromRepo, Running, tempFolder } from "./harness.ts";

/** Kills at random points: all 200 where somebody asks for them. */
const KILLS = Number(Deno.env.get("SKEP_TEST_KILLS") ?? 12);

function drive(folder: string, point: number, id = ""): Running {
  const args = ["run", "--no-prompt", "--no-check", `--lock=${fromRepo("deno.lock")}`, "--frozen"];
  const grants = ["--allow-read", "--allow-write", "--allow-run", "--allow-env"];
  const driver = fromRepo("tests/fixtures/journal_driver.ts");
  return new Running(Deno.execPath(), [...args, ...grants, driver, folder, String(point), id], {
    cwd: fromRepo("."),
    env: childEnv(folder),
  });
}

async function driven(...given: Parameters<typeof drive>): Promise<Ended> {
  await using running = drive(...given);
  return await running.ended;
}

/** What a store has of a session, once what its program left open is settled. */
async function left(
  folder: string,
  id: string,
): Promise<{ history: readonly Message[]; text: string }> {
  const world = { files: denoFiles(), nowMs: () => Date.now(), warn: () => {} };
  const store = await openStore(folder, world, DEFAULT_LIMITS);
  try {
    const said: string[] = [];
    const { state, notices } = await loadSession(store, id, (record) => {
      said.push(JSON.stringify(record));
    });
    assertEquals(notices, []);
    for (const record of state.repairs(await store.drafted(id))) state.take(record);
    return { history: state.history, text: said.join("\n") };
  } finally {
    await store.close();
  }
}

function orphans(history: readonly Message[]): string[] {
  return history.flatMap((message, index) => {
    const before = history[index - 1];
    const after = history[index + 1];
    const calls = (other: Message | undefined) =>
      other?.role === "assistant"
        ? other.content.flatMap((part) => part.type === "call" ? [part.id] : []).join()
        : "";
    const results = (other: Message | undefined) =>
      other?.role === "tool" ? other.results.map(({ callId }) => callId).join() : "";
    if (message.role === "assistant") {
      return calls(message) === results(after) ? [] : [calls(message)];
    }
    if (message.role === "tool") {
      return results(message) === calls(before) ? [] : [results(message)];
    }
    return [];
  });
}

function wordsIn(stdout: string, kind: string): string[] {
  return [...stdout.matchAll(new RegExp(`^${kind} (.+)$`, "gm"))].map(([, word]) => word!);
}

Deno.test("a program that is killed at any write of its journal loses nothing that it had kept, and goes on (T108, T97, T102)", async () => {
  await using folder = await tempFolder();
  const whole = await driven(join(folder.path, "whole"), 0);
  assertEquals([whole.code, whole.stderr], [0, ""]);
  const points = wordsIn(whole.stdout, "point").map((point) => point.split(" ")[1]!);
  const types = new Set(points);
  for (
    const type of [
      ...["opened", "prompt", "draft", "message", "call", "result", "steer", "answers", "usage"],
      ...["compacting", "compacted", "stop"],
    ]
  ) assert(types.has(type), `there is no point ${type} in ${[...types].join(" ")}`);
  // Each kind of write, wherever it comes first and last: its neighbours differ.
  const chosen = points.flatMap((type, index) =>
    [points.indexOf(type), points.lastIndexOf(type)].includes(index) ? [index + 1] : []
  );
  const all = Deno.env.has("SKEP_TEST_KILLS") ? points.map((_, index) => index + 1) : chosen;
  for (let at = 0; at < all.length; at += 4) {
    await Promise.all(
      all.slice(at, at + 4).map(async (point) => {
        const place = join(folder.path, `at-${point}`);
        const { code, stdout } = await driven(place, point);
        assertEquals([point, code], [point, 137]);
        const [id = ""] = wordsIn(stdout, "session");
        const { history, text } = await left(place, id);
        assertEquals([point, orphans(history)], [point, []]);
        for (const word of wordsIn(stdout, "kept")) {
          assert(text.includes(`"${word}"`), `${word} is lost at point ${point}`);
        }
      }),
    );
  }
});

Deno.test(`of a session that is killed ${KILLS} times and goes on each time nothing is lost`, async () => {
  await using folder = await tempFolder();
  const place = join(folder.path, "store");
  const first = await driven(place, 0);
  const [id = ""] = wordsIn(first.stdout, "session");
  const words = wordsIn(first.stdout, "kept");
  let seed = 20261130;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (let kill = 0; kill < KILLS; kill++) {
    await using running = drive(place, 0, id);
    await running.until(({ stdout }) => stdout.includes("kept "), 60_000);
    await new Promise((resolve) => setTimeout(resolve, random() * 150));
    running.signal("SIGKILL");
    words.push(...wordsIn((await running.ended).stdout, "kept"));
  }
  const { history, text } = await left(place, id);
  assertEquals(orphans(history), []);
  assertEquals(words.filter((word) => !text.includes(`"${word}"`)), []);
  assert(words.length > KILLS, `${words.length} prompts were acknowledged`);
});

import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type Defaults, mergeDefaults, readDefaults } from "./defaults.ts";
import { Fields } from "./fields.ts";
import { Problems } from "./problems.ts";

const BUILT_IN = {
  triggers: { mentions: true, keywords: [], allMessages: false },
  threadReplies: true,
  broadcastReplies: false,
};

function read(value: Record<string, unknown>): Defaults {
  const problems = new Problems();
  const source = { file: "/p", placeOf: () => undefined, problems, unknownKeys: "error" } as const;
  const defaults = readDefaults(Fields.of(value, value, source)!);
  problems.throwFirst();
  return defaults;
}

Deno.test("mergeDefaults() takes the persona's, then the pack's, then the built-in value", () => {
  assertEquals(mergeDefaults({}, {}), BUILT_IN);
  assertEquals(
    mergeDefaults({ model: "own", threadReplies: false }, {
      model: "pack",
      temperature: 0.7,
      broadcastReplies: true,
    }),
    {
      triggers: BUILT_IN.triggers,
      model: "own",
      temperature: 0.7,
      threadReplies: false,
      broadcastReplies: true,
    },
  );
});

Deno.test("mergeDefaults() counts an empty list and a zero as said", () => {
  const merged = mergeDefaults({ subscribe: [], temperature: 0, maxContextTokens: 0 }, {
    subscribe: ["#a"],
    temperature: 1,
    maxContextTokens: 5,
  });
  assertEquals([merged.subscribe, merged.temperature, merged.maxContextTokens], [[], 0, 0]);
});

Deno.test("mergeDefaults() takes triggers whole, never mixed", () => {
  const pack = read({ triggers: { mentions: false, keywords: ["k"], all_messages: true } });
  assertEquals(mergeDefaults(read({}), pack).triggers, {
    mentions: false,
    keywords: ["k"],
    allMessages: true,
  });
  assertEquals(mergeDefaults(read({ triggers: null }), pack).triggers.keywords, ["k"]);
  assertEquals(mergeDefaults(read({ triggers: {} }), pack).triggers, BUILT_IN.triggers);
  assertEquals(mergeDefaults(read({ triggers: { keywords: ["x"] } }), pack).triggers, {
    mentions: true,
    keywords: ["x"],
    allMessages: false,
  });
});

Deno.test("readDefaults() tells null from an empty list in subscribe", () => {
  assertEquals(read({ subscribe: null }), {});
  assertEquals(read({ subscribe: [] }), { subscribe: [] });
});

Deno.test("readDefaults() takes respond_to for triggers, but not both", () => {
  assertEquals(read({ respond_to: { mentions: false } }).triggers?.mentions, false);
  assertThrows(
    () => read({ triggers: {}, respond_to: {} }),
    SkepError,
    '"triggers" and "respond_to" are one field',
  );
});

Deno.test("readDefaults() names a field inside triggers that it does not know", () => {
  assertThrows(
    () => read({ triggers: { keyword: ["x"] } }),
    SkepError,
    'there is no field "triggers.keyword", did you mean "keywords"?',
  );
});

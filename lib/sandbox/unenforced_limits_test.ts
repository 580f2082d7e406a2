import { assertEquals } from "@std/assert";
import { unenforcedLimits } from "./unenforced_limits.ts";

const LIMITS = { limits: { memory_mb: 512, processes: 8 } };
const BOTH = { memory: true, processes: true };

Deno.test("unenforcedLimits() has nothing to say where control groups hold them", () => {
  for (const isRoot of [true, false]) {
    assertEquals(unenforcedLimits(LIMITS, "bwrap", isRoot, BOTH), []);
  }
});

Deno.test("unenforcedLimits() tells that processes of the administrator are not bounded without", () => {
  const told = unenforcedLimits(LIMITS, "unshare", true).filter(({ isTold }) => isTold);
  assertEquals(told.map(({ text }) => text), [
    "its limit of 8 processes is not enforced: it takes a control group, or an ordinary user",
  ]);
  assertEquals(
    unenforcedLimits(LIMITS, "unshare", false).map(({ text, isTold }) => [text, isTold]),
    [[
      "its memory of 512 MiB is limited for each of its processes, and for all of them by a look now and then",
      false,
    ]],
  );
  assertEquals(
    unenforcedLimits({ limits: { memory_mb: 512 } }, "seatbelt", false)[1]?.text,
    "its memory of 512 MiB is limited for each of its processes alone",
  );
});

Deno.test("unenforcedLimits() shows that there is no bound where none was set", () => {
  assertEquals(unenforcedLimits({ limits: {} }, "landlock", false), [
    { text: "how many processes it starts is not limited", isTold: false },
  ]);
});

import { assertEquals } from "@std/assert";
import { delivered, failed } from "./call_result.ts";
import type { Denial } from "../sandbox/denial.ts";
import { DENIED_META } from "../sandbox/denial.ts";
import type { Grant } from "../sandbox/grant.ts";

const LIMITS = { maxToolResultTextBytes: 1024, maxToolResultBytes: 4096 };
const LAUNCH = {
  grant: { server: "s" } as Grant,
  redact: (text: string) => text.replaceAll("t0ken-123", "[secret TOKEN]"),
};
const DENIAL: Denial = { server: "s", access: "read", value: "/t0ken-123", isCertain: false };

function reader(denial: Denial | undefined) {
  return {
    findDenial: () => denial,
    explainDenial: ({ value }: Denial) => `Probably denied: it may not read ${value}.`,
  };
}

Deno.test("delivered() takes a server's secrets out of its results, structured ones too (T91)", () => {
  const raw = {
    content: [{ type: "text", text: "key t0ken-123, t0ken-124" }],
    structuredContent: { key: "t0ken-123" },
  };
  assertEquals(delivered(raw, LAUNCH, reader(undefined), LIMITS), {
    isError: false,
    content: [
      { type: "text", text: 'key [secret TOKEN], t0ken-124\n{"key":"[secret TOKEN]"}' },
    ],
    structured: { key: "[secret TOKEN]" },
  });
});

Deno.test("delivered() takes a secret out before it cuts a text, so that no half of one stays", () => {
  const text = `${"x".repeat(LIMITS.maxToolResultTextBytes - 5)}t0ken-123`;
  const { content } = delivered(failed(text), LAUNCH, reader(undefined), LIMITS);
  assertEquals(JSON.stringify(content).includes("t0ken"), false);
});

Deno.test("delivered() adds to a server's own words what would allow what was denied, without secrets", () => {
  const result = delivered(failed("EACCES t0ken-123"), LAUNCH, reader(DENIAL), LIMITS);
  assertEquals(result, {
    isError: true,
    content: [
      { type: "text", text: "EACCES [secret TOKEN]" },
      { type: "text", text: "Probably denied: it may not read /[secret TOKEN]." },
    ],
    denial: { ...DENIAL, value: "/[secret TOKEN]" },
  });
});

Deno.test("delivered() says a denial once that one of our servers told itself", () => {
  const raw = {
    ...failed("Access denied: this server's grant has no read access to /x"),
    _meta: { [DENIED_META]: { access: "read", value: "/x" } },
  };
  const { content } = delivered(raw, LAUNCH, reader({ ...DENIAL, value: "/x" }), LIMITS);
  assertEquals(content, [{ type: "text", text: "Probably denied: it may not read /x." }]);
});

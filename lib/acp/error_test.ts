import { assertEquals } from "@std/assert";
import { type ErrorCode, type ErrorDetails, SkepError } from "../errors.ts";
import { toRpcError } from "./error.ts";

function numberOf<C extends ErrorCode>(code: C, details: ErrorDetails[C]): number {
  return toRpcError(new SkepError(code, "text", details)).code;
}

Deno.test("toRpcError() gives each code the number that clients know", () => {
  assertEquals(numberOf("INVALID_PARAMS", { method: "m" }), -32602);
  assertEquals(numberOf("METHOD_UNKNOWN", { method: "m" }), -32601);
  assertEquals(numberOf("SESSION_BUSY", { sessionId: "s" }), -32602);
  assertEquals(numberOf("SESSION_UNKNOWN", { sessionId: "s" }), -32602);
  assertEquals(numberOf("MODEL_UNKNOWN", { model: "m" }), -32602);
  assertEquals(numberOf("MODEL_KEY_MISSING", { provider: "p", variable: "V" }), -32001);
  assertEquals(numberOf("PROVIDER_AUTH_FAILED", { provider: "p", status: 401 }), -32001);
  assertEquals(numberOf("PROVIDER_MODEL_NOT_FOUND", { provider: "p", model: "m" }), -32002);
  assertEquals(numberOf("CANCELLED", {}), -32800);
  assertEquals(numberOf("PROVIDER_FAILED", { provider: "p" }), -32000);
  assertEquals(numberOf("CONTEXT_TOO_LONG", { provider: "p" }), -32000);
  assertEquals(numberOf("GRANT_REFUSED", { server: "s" }), -32000);
});

Deno.test("toRpcError() keeps the message, and takes what is no SkepError for a defect", () => {
  const error = new SkepError("PROVIDER_FAILED", "The provider broke off", { provider: "p" });
  assertEquals(toRpcError(error), { code: -32000, message: "The provider broke off" });
  assertEquals(toRpcError(new TypeError("x is undefined")), {
    code: -32603,
    message: "x is undefined",
  });
});

Deno.test("toRpcError() gives a plain client -32000 only where logging in helps, and none of buzz-agent's numbers", () => {
  const plain = { isBuzz: false, hasLogins: false };
  const refused = new SkepError("PROVIDER_AUTH_FAILED", "text", { provider: "p", status: 401 });
  const failed = new SkepError("PROVIDER_FAILED", "text", { provider: "p" });
  assertEquals(toRpcError(refused, plain).code, -32603);
  assertEquals(toRpcError(failed, plain).code, -32603);
  assertEquals(toRpcError(refused, { ...plain, hasLogins: true }).code, -32000);
  assertEquals(toRpcError(failed, { ...plain, hasLogins: true }).code, -32603);
  const unknown = new SkepError("METHOD_UNKNOWN", "text", { method: "m" });
  assertEquals(toRpcError(unknown, plain).code, -32601);
});

Deno.test("toRpcError() tells a plain client of a session that is gone by ACP's -32002, and of nothing else", () => {
  const plain = { isBuzz: false, hasLogins: false };
  const gone = new SkepError("SESSION_UNKNOWN", "text", { sessionId: "s" });
  const model = new SkepError("PROVIDER_MODEL_NOT_FOUND", "text", { provider: "p", model: "m" });
  assertEquals(toRpcError(gone, plain).code, -32002);
  assertEquals(toRpcError(model, plain).code, -32603);
});

import { assertEquals } from "@std/assert";
import { parseErrorBody } from "./error_body.ts";

Deno.test("parseErrorBody() reads the forms that servers use", () => {
  const forms: [string, { message: string; kind?: string; retryAfterMs?: number }][] = [
    [
      '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      { message: "Overloaded", kind: "overloaded_error" },
    ],
    [
      '{"error":{"message":"no","type":"invalid_request_error","code":"bad_tool","param":null}}',
      { message: "no", kind: "invalid_request_error bad_tool" },
    ],
    ['{"error":{"code":"insufficient_quota"}}', {
      message: "insufficient_quota",
      kind: "insufficient_quota",
    }],
    [
      '{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}',
      { message: "no", kind: "RESOURCE_EXHAUSTED" },
    ],
    [
      '{"error":{"code":429,"message":"no","details":[{"@type":' +
      '"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}',
      { message: "no", retryAfterMs: 34_500 },
    ],
    ['{"error":{"message":"no","code":429}}', { message: "no" }],
    ['{"error":"model is loading"}', { message: "model is loading" }],
    ['{"message":"no"}', { message: "no" }],
    ['{"detail":"Not Found"}', { message: "Not Found" }],
  ];
  for (const [body, said] of forms) assertEquals(parseErrorBody(body), said);
});

Deno.test("parseErrorBody() gives any other body as it is", () => {
  for (const body of ["upstream timed out", '{"error":{"mess', "[1]", '{"a":1}', ""]) {
    assertEquals(parseErrorBody(` ${body}\n`), { message: body });
  }
});

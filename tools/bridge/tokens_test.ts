import { assertEquals, assertRejects } from "@std/assert";
import { HostLink } from "./host_link.ts";
import { RemoteError } from "./remote_error.ts";
import { type Json, parseJson } from "./rpc.ts";
import { readChallenge, Tokens } from "./tokens.ts";

const challenge = (text: string) => readChallenge(new Headers({ "www-authenticate": text }));

Deno.test("readChallenge() reads what a server wants, quoted or not", () => {
  assertEquals(challenge('Bearer resource_metadata="https://h/x", scope="a b"'), {
    resourceMetadata: "https://h/x",
    scope: "a b",
  });
  assertEquals(challenge("Bearer error=insufficient_scope,scope=a"), {
    error: "insufficient_scope",
    scope: "a",
  });
  assertEquals(challenge("Basic realm=x"), {});
  assertEquals(readChallenge(new Headers()), {});
});

/** A runtime that answers each request for a token with the next of these. */
function runtime(answers: Json[]): { tokens: Tokens; asked: Json[] } {
  const asked: Json[] = [];
  const link: HostLink = new HostLink((line) => {
    const { id, params } = parseJson(line) as { id: string; params: Json };
    asked.push(params);
    link.settle({ id, ...answers.shift() });
    return Promise.resolve();
  }, 1000);
  return { tokens: new Tokens(link), asked };
}

Deno.test("Tokens asks once for the token, and once for another when several requests were refused", async () => {
  const { tokens, asked } = runtime([{ result: { token: "a" } }, { result: { token: "b" } }]);
  assertEquals(await Promise.all([tokens.current(), tokens.current()]), ["a", "a"]);
  const renewed = [tokens.renew("a", { scope: "s" }), tokens.renew("a", {})];
  assertEquals(await Promise.all(renewed), ["b", "b"]);
  assertEquals(await tokens.renew("a", {}), "b");
  assertEquals(asked, [{}, { refused: "a", scope: "s" }]);
});

Deno.test("Tokens says what the runtime says when there is no other token, and asks again later", async () => {
  const refusal = { error: { code: -1, message: "log in" } };
  const { tokens, asked } = runtime([{ result: {} }, refusal, { result: { token: "new" } }]);
  assertEquals(await tokens.current(), undefined);
  await assertRejects(() => tokens.renew(undefined, {}), RemoteError, "log in");
  assertEquals(await tokens.current(), "new");
  assertEquals(asked.length, 3);
});

Deno.test("Tokens goes without one at a host that keeps none", async () => {
  const { tokens } = runtime([{ error: { code: -32601, message: "no such method" } }]);
  assertEquals(await tokens.current(), undefined);
});

import { assertEquals, assertMatch } from "@std/assert";
import type { ServerSpec } from "../sandbox/spec.ts";
import { withoutIdentityKeys } from "./identity_keys.ts";

const NSEC = `nsec1${"q".repeat(58)}`;

function spec(name: string, env: Record<string, string>): ServerSpec {
  return { name, command: "c", args: [], env, origin: { kind: "client", where: "session/new" } };
}

Deno.test("withoutIdentityKeys() takes private keys out by name and by form, and says so once", () => {
  const { servers, notice } = withoutIdentityKeys([
    spec("one", { BUZZ_PRIVATE_KEY: "hex", BUZZ_RELAY_URL: "wss://r" }),
    spec("two", { MY_KEY: NSEC }),
    spec("three", { FOO: "1" }),
  ], false);
  assertEquals(servers.map(({ env }) => env), [{ BUZZ_RELAY_URL: "wss://r" }, {}, { FOO: "1" }]);
  assertMatch(notice!, /BUZZ_PRIVATE_KEY, MY_KEY was left out for "one", "two"\. .*run skep serve/);
  assertEquals(notice!.includes(NSEC), false);
});

Deno.test("withoutIdentityKeys() marks what the operator wants passed, and says nothing", () => {
  const env = { NOSTR_PRIVATE_KEY: "hex", FOO: "1" };
  const { servers, notice } = withoutIdentityKeys([spec("one", env), spec("two", {})], true);
  assertEquals(servers.map(({ env, passedKeys }) => [env, passedKeys]), [
    [env, ["NOSTR_PRIVATE_KEY"]],
    [{}, undefined],
  ]);
  assertEquals(notice, undefined);
});

Deno.test("withoutIdentityKeys() leaves servers without keys as they are", () => {
  const servers = [spec("one", { FOO: "nsec1" })];
  assertEquals(withoutIdentityKeys(servers, false), { servers });
});

Deno.test("a private key in a variable's text, in capitals or behind a line's end, reaches no server", () => {
  const { servers, notice } = withoutIdentityKeys([
    spec("one", { A: NSEC.toUpperCase(), B: `${NSEC}\n`, C: `{"key":"${NSEC}"}`, D: "nsec" }),
  ], false);
  assertEquals(servers.map(({ env }) => env), [{ D: "nsec" }]);
  assertMatch(notice!, /A, B, C was left out for "one"/);
});

Deno.test("a server whose command line or address has a private key in it is not started, and told without the key", () => {
  const args = { ...spec("one", {}), args: ["--nsec", NSEC] };
  const url = spec("two", { BRIDGE_URL: `https://x.example/?key=${NSEC}` });
  const { servers, notice } = withoutIdentityKeys([args, url, spec("three", {})], false);
  assertEquals(servers.map(({ problem }) => problem?.message.split(":")[0]), [
    "its command line has a private key in it, and no server gets one",
    "its url has a private key in it, and no server gets one",
    undefined,
  ]);
  assertEquals(servers.some(({ problem }) => problem?.message.includes(NSEC)), false);
  assertEquals(notice, undefined);
  assertEquals(withoutIdentityKeys([args], true).servers[0]?.problem, undefined);
});

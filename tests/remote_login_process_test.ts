// Logins at servers that are reached by a url: the real command line, bridge and steps, against a real
// authorization server on loopback, with a browser that is a program.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { fromRepo, serverFile, skep, startSkep, tempFolder } from "./harness.ts";
import { serveProtected } from "./oauth_fixture.ts";

const ECHO = ["call", "far__echo", '{"text":"hello"}'];

/** A place for one test: its state folder, a browser, a file that names the server `far`. */
async function placeOf(folder: string, url: string) {
  const browser = join(folder, "browser");
  const deno = `'${Deno.execPath()}' run --no-prompt --no-config --no-lock --allow-net=127.0.0.1`;
  const script = `#!/bin/sh\nexec ${deno} '${fromRepo("tests/fixtures/browser.ts")}' "$1"\n`;
  await Deno.writeTextFile(browser, script, { mode: 0o755 });
  const file = await serverFile(folder, { far: { url } });
  const state = join(folder, "state");
  const env = { SKEP_STATE_DIR: state, BROWSER: browser };
  const run = (...args: string[]) => skep([...args, "--mcp", file], { env });
  const kept = async () => {
    const names = await Array.fromAsync(Deno.readDir(join(state, "logins")), ({ name }) => name);
    assertEquals(names.length, 1);
    const path = join(state, "logins", names[0]!);
    return { path, login: JSON.parse(await Deno.readTextFile(path)) };
  };
  return { run, kept, env, file };
}

Deno.test("a server that wants a login says what to run; after it the call works, and its token is in nothing that is shown", async () => {
  await using folder = await tempFolder();
  await using server = await serveProtected();
  const { mcp, authorization, state } = server;
  const url = `${mcp.origin}/mcp`;
  const { run, kept } = await placeOf(folder.path, url);
  const { host } = new URL(url);

  const before = await run(...ECHO);
  assertEquals(before.code, 2);
  const advice = `Server "far" failed at initialize: wants a login: run "skep mcp login ${url}"`;
  assertStringIncludes(before.stderr, advice);
  assertEquals(authorization.seen, []); // nobody was asked to log in, so nobody else was asked anything

  const login = await run("mcp", "login", "far");
  assertEquals([login.code, login.stdout], [0, ""]);
  const [page, done] = login.stderr.trim().split("\n").slice(-2);
  const at = new URL(authorization.origin).host;
  assertMatch(
    page!,
    new RegExp(`^Log in to ${host} at ${at} with your browser: http://${at}/authorize\\?`),
  );
  assertEquals(done, `Logged in to ${host}, for tools:call offline_access`);
  const [registration] = state.registrations;
  assertEquals(registration?.token_endpoint_auth_method, "none");
  assertMatch(String(registration?.redirect_uris), /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const { path, login: file } = await kept();
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  assert(state.accessTokens.has(file.accessToken));

  assertEquals((await run(...ECHO)).stdout, "hello\n");
  const headers = (await run("call", "far__headers")).stdout;
  assertEquals(JSON.parse(headers).authorization, "Bearer [secret login]");
  const audit = await run("audit", "far", "--json");
  for (const { stdout, stderr } of [login, audit]) {
    assertEquals(/access-|refresh-/.test(stdout + stderr), false);
  }
  assertEquals(JSON.parse(audit.stdout).permissions.net.length, 1);

  // Another login asks for what the server wants by now, as the client that is known.
  state.scope = "tools:call tools:admin";
  const more = await run(...ECHO);
  assertStringIncludes(more.stderr, `wants a login that allows more (tools:call tools:admin)`);
  const again = await run("mcp", "login", url);
  assertStringIncludes(again.stderr, "for tools:call offline_access tools:admin");
  assertEquals(state.registrations.length, 1);
  assertEquals((await run(...ECHO)).stdout, "hello\n");

  assertStringIncludes((await run("mcp", "logout", "far")).stderr, `Logged out of ${host}`);
  assertStringIncludes((await run(...ECHO)).stderr, advice);
});

Deno.test("a token that ends is refreshed once for all that need it, and the new one is kept", async () => {
  await using folder = await tempFolder();
  await using server = await serveProtected();
  const { mcp, state } = server;
  const { run, kept } = await placeOf(folder.path, `${mcp.origin}/mcp`);
  await run("mcp", "login", "far");
  const first = (await kept()).login;
  state.accessTokens.clear(); // the server forgets it before it ends
  const text = Array.from({ length: 4 }, (_, n) => `/far__echo text=${n}`).join("\n");
  assertEquals((await run("chat", "-p", text)).stdout, "0\n1\n2\n3\n");
  assertEquals(state.grants, ["authorization_code", "refresh_token"]);
  const second = (await kept()).login;
  assertEquals(
    [first.accessToken !== second.accessToken, first.refreshToken !== second.refreshToken],
    [true, true],
  );

  // One that ended by the clock is replaced before it is tried; a refresh token that is refused asks for a login.
  state.lasts = 1;
  state.accessTokens.clear();
  assertEquals((await run(...ECHO)).stdout, "hello\n");
  assertEquals((await run(...ECHO)).stdout, "hello\n");
  assertEquals(state.grants.length, 4);
  state.refreshTokens.clear();
  state.accessTokens.clear();
  assertStringIncludes((await run(...ECHO)).stderr, "wants a new login: run");
});

Deno.test("a login is refused whose addresses are not its own kind, and the browser opens nothing else", async () => {
  await using folder = await tempFolder();
  await using server = await serveProtected();
  const { run, env, file } = await placeOf(folder.path, `${server.mcp.origin}/mcp`);
  const open = await run("mcp", "login", "http://example.com/mcp");
  assertEquals(open.code, 1);
  assertStringIncludes(open.stderr, "a login needs https, or this machine");
  assertStringIncludes((await run("mcp", "login", "fra")).stderr, "did you mean far?");
  // Somebody else's request does not end the wait, and a signal does.
  await using waiting = await startSkep(["mcp", "login", "far", "--mcp", file], {
    env: { ...env, BROWSER: "/bin/true" },
  });
  await waiting.until(({ stderr }) => stderr.includes("/authorize?"));
  const page = new URL(/http:\S+authorize\S+/.exec(waiting.stderr)![0]);
  const back = new URL(page.searchParams.get("redirect_uri")!);
  back.searchParams.set("code", "stolen");
  back.searchParams.set("state", "not ours");
  const response = await fetch(back);
  await response.body?.cancel();
  assertEquals(response.status, 400);
  waiting.signal("SIGTERM");
  assertEquals((await waiting.ended).code, 143);
  assertEquals(server.state.grants, []);
});

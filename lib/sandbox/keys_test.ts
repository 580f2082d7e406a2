import { assertEquals } from "@std/assert";
import { KEY_VARIABLES, keyReason, looksSecret } from "./keys.ts";

Deno.test("keyReason() stops every key by its name", () => {
  for (const name of [...KEY_VARIABLES, "anthropic_api_key"]) {
    assertEquals(
      keyReason(name, "anything", () => undefined),
      "it names a key of the identity or a model, which no server gets",
      name,
    );
  }
  assertEquals(keyReason("FOO", "anything", () => undefined), undefined);
});

Deno.test("keyReason() stops a key's value under any name", () => {
  const env = (name: string) => ({ OPENAI_API_KEY: "sk-12345678", BUZZ_PRIVATE_KEY: "x" })[name];
  const reason = "its value holds that of OPENAI_API_KEY, which no server gets";
  assertEquals(keyReason("FOO", "sk-12345678", env), reason);
  assertEquals(keyReason("AUTH", "Bearer sk-12345678", env), reason);
  assertEquals(keyReason("FOO", "sk-1234567", env), undefined);
});

Deno.test("keyReason() stops the keys of an operator's own providers, and their values", () => {
  const env = (name: string) => name === "GROQ_KEY" ? "gsk-12345678" : undefined;
  const reason = (name: string, value: string) => keyReason(name, value, env, ["GROQ_KEY"]);
  assertEquals(
    reason("GROQ_KEY", "anything"),
    "it names a key of the identity or a model, which no server gets",
  );
  assertEquals(
    reason("FOO", "Bearer gsk-12345678"),
    "its value holds that of GROQ_KEY, which no server gets",
  );
  assertEquals(keyReason("GROQ_KEY", "gsk-12345678", env), undefined);
});

Deno.test("keyReason() takes a value of 8 characters for a key, and a shorter one for none", () => {
  const env = (value: string) => (name: string) => name === "OPENAI_API_KEY" ? value : undefined;
  assertEquals(keyReason("FOO", "12345678", env("12345678")) === undefined, false);
  assertEquals(keyReason("FOO", "1234567", env("1234567")), undefined);
});

Deno.test("looksSecret() knows secrets by name and by shape", () => {
  const secrets: [string, string][] = [
    ["GH_TOKEN", "abc"],
    ["AWS_SECRET_ACCESS_KEY", "abc"],
    ["DB_PASSWORD", "x"],
    ["apikey", "x1"],
    ["STRIPE_KEY", "abc"],
    ["DATABASE_URL", "postgres://me:pw@db/x"],
    ["X", "ghp_abcdef"],
    ["X", "nsec1abcdef"],
    ["X", "sk-ant-1"],
    ["X", "0123456789abcdef0123456789abcdef"],
    ["X", "aB3dE5fG7hI9jK1lM3nO"],
  ];
  for (const [name, value] of secrets) {
    assertEquals(looksSecret(name, value), true, `${name}=${value}`);
  }
});

Deno.test("looksSecret() leaves ordinary values alone", () => {
  const plain: [string, string][] = [
    ["PATH", "/usr/local/bin:/usr/bin:/bin"],
    ["MEMORY_FILE_PATH", "/data/memory.json"],
    ["LANG", "C.UTF-8"],
    ["SSH_AUTH_SOCK", "/tmp/ssh-1/agent.2"],
    ["GH_TOKEN", ""],
    ["KEYBOARD", "us"],
    ["MONKEY", "yes"],
    ["URL", "https://example.com/a/b"],
    ["COMMIT", "0123456789abcdef0123"],
    ["NAME", "some-rather-long-hyphenated-name"],
  ];
  for (const [name, value] of plain) {
    assertEquals(looksSecret(name, value), false, `${name}=${value}`);
  }
});

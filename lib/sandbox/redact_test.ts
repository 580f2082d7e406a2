import { assertEquals } from "@std/assert";
import { redactor, secretNames, StreamRedactor } from "./redact.ts";

Deno.test("redactor() takes out every exact value, and leaves what looks like one (T91)", () => {
  const redact = redactor([["TOKEN", "ghp_0123456789abcdef"], ["PW", "correct horse"]]);
  assertEquals(
    redact("a ghp_0123456789abcdef b correct horse, ghp_0123456789abcdeX and Correct horse"),
    "a [secret TOKEN] b [secret PW], ghp_0123456789abcdeX and Correct horse",
  );
  assertEquals(redact('{"key":"ghp_0123456789abcdef"}'), '{"key":"[secret TOKEN]"}');
});

Deno.test("redactor() takes values of 8 characters, and not of 7", () => {
  assertEquals(redactor([["A", "12345678"]])("x12345678x"), "x[secret A]x");
  assertEquals(redactor([["A", "1234567"]])("x1234567x"), "x1234567x");
});

Deno.test("redactor() takes a value as JSON writes it, and the longer of two that begin alike", () => {
  const redact = redactor([["A", 'say "x"\n123'], ["SHORT", "abcdefgh"], ["LONG", "abcdefgh12"]]);
  assertEquals(redact(JSON.stringify({ a: 'say "x"\n123' })), '{"a":"[secret A]"}');
  assertEquals(redact("abcdefgh12 abcdefgh1"), "[secret LONG] [secret SHORT]1");
});

Deno.test("redactor() takes the lines of a key, and leaves its frame and what is ordinary in files", () => {
  const key =
    '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nshort\n  "type": "service_account",\n-----END KEY-----\n';
  const redact = redactor([["KEY", key]]);
  assertEquals(redact("MIIEvQIBADANBgkqhkiG"), "[secret KEY]");
  assertEquals(redact(key), "[secret KEY]");
  for (const line of ["-----BEGIN KEY-----", "short", '  "type": "service_account",']) {
    assertEquals(redact(line), line);
  }
});

Deno.test("redactor() of patterns takes them for text, and of none changes nothing", () => {
  assertEquals(redactor([["A", "a.c*(x)[y]$"]])("abc a.c*(x)[y]$"), "abc [secret A]");
  assertEquals(redactor([["A", ""]])("x"), "x");
  assertEquals(redactor([])("x"), "x");
});

Deno.test("secretNames() are those with a source, own ones that look it, and proxies with a password", () => {
  const environment = {
    TOKEN: "x",
    MY_API_KEY: "12345",
    EDITOR: "vim",
    HOME: "/tmp/skep-1aB2cD3eF4gH5/home",
    PATH: "/opt/aB1cD2eF3gH4iJ5kL6/bin",
    https_proxy: "http://u:pw@proxy:1",
    http_proxy: "http://proxy:1",
  };
  assertEquals(secretNames(environment, ["TOKEN"], { MY_API_KEY: "12345", EDITOR: "vim" }), [
    "TOKEN",
    "MY_API_KEY",
    "https_proxy",
  ]);
});

Deno.test("StreamRedactor takes out a secret that comes in two pieces, and one letter at a time", () => {
  const redact = redactor([["KEY", "sk-SECRETKEY123456"], ["PW", 'say "x"\n123']]);
  const text = 'key: sk-SECRETKEY123456 and say "x"\n123, say \\"x\\"\\n123 more';
  const whole = "key: [secret KEY] and [secret PW], [secret PW] more";
  for (let cut = 0; cut <= text.length; cut++) {
    const stream = new StreamRedactor(redact);
    assertEquals(stream.take(text.slice(0, cut)) + stream.take(text.slice(cut)), whole);
  }
  const stream = new StreamRedactor(redact);
  assertEquals([...text].map((letter) => stream.take(letter)).join(""), whole);
});

Deno.test("StreamRedactor waits where a secret may go on as a longer one, and where two overlap", () => {
  const redact = redactor([["SHORT", "abcdefgh"], ["LONG", "abcdefgh12"], ["NEXT", "efghijkl"]]);
  const stream = new StreamRedactor(redact);
  const pieces = ["abcdefgh", "1", "2 abcdefgh1", "x abcd", "efghij", "kl.", "efgh", "ijkl"];
  assertEquals(pieces.map((piece) => stream.take(piece)), [
    "",
    "",
    "[secret LONG] ",
    "[secret SHORT]1x ",
    "[secret SHORT]ij",
    "kl.",
    "",
    "[secret NEXT]",
  ]);
});

Deno.test("StreamRedactor tells what only begins as a secret once it goes on otherwise; reset() drops it", () => {
  const stream = new StreamRedactor(redactor([["TOKEN", "aab-aab-aac"]]));
  assertEquals(["x aab-a", "ab-a", "ab-aac"].map((piece) => stream.take(piece)), [
    "x ",
    "",
    "aab-[secret TOKEN]",
  ]);
  assertEquals(["aab", "-no"].map((piece) => stream.take(piece)), ["", "aab-no"]);
  assertEquals(stream.take("aab-"), "");
  stream.reset();
  assertEquals(stream.take("aab-aac"), "aab-aac");
});

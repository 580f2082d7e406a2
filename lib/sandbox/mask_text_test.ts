import { assertEquals } from "@std/assert";
import { maskText, secretParts } from "./mask_text.ts";

const KEY = "ghp_abcdefghij1234567890";

Deno.test("maskText() masks credentials wherever they stand in a text", () => {
  const masked: [string, string][] = [
    [`Bearer ${KEY}`, "Bearer [secret]"],
    ["authorization: bearer abc", "authorization: bearer [secret]"],
    ["Basic dXNlcjpwYXNz", "Basic [secret]"],
    ["Token abc1234567", "Token [secret]"],
    [`{"auth":"${KEY}","x":1}`, '{"auth":"[secret]","x":1}'],
    [`https://h.example/${KEY}/x`, "https://h.example/[secret]/x"],
    ["https://h.example/a1B2c3D4e5F6g7H8i9J0k1/x", "https://h.example/[secret]/x"],
    ["https://h.example/x?api_key=abc&n=1", "https://h.example/x?api_key=[secret]&n=1"],
    ["db at postgres://u:pw@h/db", "db at postgres://u:[secret]@h/db"],
    ["https://a1B2c3D4e5F6g7H8i9J0k1@h/x", "https://[secret]@h/x"],
    ["key=sk-abcdefghijklmnop123", "key=[secret]"],
  ];
  assertEquals(masked.map(([text]) => maskText(text)), masked.map(([, shown]) => shown));
  assertEquals(secretParts(`Bearer ${KEY}`), [KEY]);
  assertEquals(masked.map(([, shown]) => maskText(shown)), masked.map(([, shown]) => shown));
});

Deno.test("maskText() leaves ordinary texts as they are", () => {
  const texts = [
    "Basic tutorial of a risk-assessment",
    "token counting, a bearer",
    "ssh://git@host.example/repo.git",
    "https://user@h.example/some/long-path-name/index.html?page=2",
    "/home/person/npm_config_registry",
    "npm:@modelcontextprotocol/server-filesystem@2026.8.31",
    "Bearer [secret GH]",
    "https://${HOST}/${PATH}",
    "http://127.0.0.1:8080/v1/chat-completions",
  ];
  assertEquals(texts.map(maskText), texts);
});

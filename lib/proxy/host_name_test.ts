import { assertEquals } from "@std/assert";
import { canonicalHost, isAddressHost } from "./host_name.ts";

Deno.test("canonicalHost() gives a name in one form", () => {
  const cases: [string, string][] = [
    ["example.com", "example.com"],
    ["EXAMPLE.Com", "example.com"],
    ["example.com.", "example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["example。com", "example.com"],
    ["localhost.", "localhost"],
    ["LOCALHOST", "localhost"],
    ["my_host", "my_host"],
    ["127.0.0.1.example.com", "127.0.0.1.example.com"],
  ];
  for (const [text, host] of cases) assertEquals([text, canonicalHost(text)], [text, host]);
});

Deno.test("canonicalHost() gives every spelling of an address in one form", () => {
  const cases: [string, string][] = [
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["127.0.1", "127.0.0.1"],
    ["0x7f.1", "127.0.0.1"],
    ["0x7F000001", "127.0.0.1"],
    ["0177.0.0.01", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["017700000001", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["１２７.０.０.１", "127.0.0.1"],
    ["[::1]", "[::1]"],
    ["[0:0:0:0:0:0:0:1]", "[::1]"],
    ["[0000::0001]", "[::1]"],
    ["[2001:DB8:0:0::1]", "[2001:db8::1]"],
    ["[::ffff:127.0.0.1]", "127.0.0.1"],
    ["[::ffff:7f00:1]", "127.0.0.1"],
    ["[::FFFF:0a00:0001]", "10.0.0.1"],
    ["[0:0:0:0:0:ffff:a9fe:a9fe]", "169.254.169.254"],
    ["[::ffff:0:1]", "0.0.0.1"],
    ["[::127.0.0.1]", "[::7f00:1]"],
  ];
  for (const [text, host] of cases) assertEquals([text, canonicalHost(text)], [text, host]);
});

Deno.test("canonicalHost() has nothing for what is no host, or is read in two ways", () => {
  const cases = [
    "",
    ".",
    "..",
    ".example.com",
    "a..com",
    "example.com..",
    "granted.example@evil.example",
    "granted.example:443@evil.example",
    "granted.example\\@evil.example",
    "granted.example#evil.example",
    "granted.example?evil.example",
    "granted.example/evil.example",
    "granted.example%00.evil.example",
    "%31%32%37.0.0.1",
    "granted.example\tevil.example",
    "granted.example\nevil.example",
    "granted.example evil.example",
    "granted.example\0",
    "*.example.com",
    "a:80",
    "::1",
    "[::1",
    "[::1]x",
    "[fe80::1%eth0]",
    "[::1]:80",
    "256.0.0.1",
    "1.2.3.4.5",
    "0x100000000",
    "a".repeat(64).concat(".").repeat(4),
  ];
  for (const text of cases) assertEquals([text, canonicalHost(text)], [text, undefined]);
});

Deno.test("canonicalHost() takes a name of 253 characters, and none of 254", () => {
  const name = `${"a".repeat(61)}.`.repeat(4).slice(0, -1); // 247
  assertEquals(canonicalHost(`${name}.abcde`)?.length, 253);
  assertEquals(canonicalHost(`${name}.abcdef`), undefined);
});

Deno.test("isAddressHost() tells an address from a name that looks like one", () => {
  assertEquals(["127.0.0.1", "[::1]"].map(isAddressHost), [true, true]);
  assertEquals(["127.0.0.1.example", "1e100.net", "localhost"].map(isAddressHost), [
    false,
    false,
    false,
  ]);
});

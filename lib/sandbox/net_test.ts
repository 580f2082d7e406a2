import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { allowsHost, namesHost, netFlagValues, netText, parseNetEntry } from "./net.ts";

const AT = { server: "s", entry: "net" };
const flagsOf = (text: string) => netFlagValues(parseNetEntry(text, AT, "linux"));

Deno.test("parseNetEntry() reads each form, and netFlagValues() says it in Deno's words", () => {
  assertEquals(flagsOf("example.com"), ["example.com"]);
  assertEquals(flagsOf("API.Example.com.:443"), ["api.example.com:443"]);
  assertEquals(flagsOf("bücher.example:80"), ["xn--bcher-kva.example:80"]);
  assertEquals(flagsOf("10.0.0.1:5432"), ["10.0.0.1:5432"]);
  assertEquals(flagsOf("[2001:DB8::1]:443"), ["[2001:db8::1]:443"]);
  assertEquals(flagsOf("[::ffff:10.0.0.1]:80"), ["10.0.0.1:80"]);
  assertEquals(flagsOf("0x7f.1"), ["127.0.0.1"]);
  assertEquals(flagsOf("localhost:80"), ["127.0.0.1:80", "[::1]:80", "localhost:80"]);
  assertEquals(flagsOf("*.example.org"), ["*.example.org"]);
  assertEquals(flagsOf("*.example.org:443"), ["*.example.org:443"]);
  assertEquals(flagsOf("loopback"), ["127.0.0.1", "[::1]", "localhost"]);
  assertEquals(flagsOf("loopback:8080"), ["127.0.0.1:8080", "[::1]:8080", "localhost:8080"]);
  assertEquals(flagsOf("unix:/run/x.sock"), ["unix:/run/x.sock"]);
});

Deno.test("parseNetEntry() reads back what netText() writes", () => {
  for (const text of ["example.com:1", "loopback", "*.example.org", "unix:/a b", "[::1]:65535"]) {
    assertEquals(netText(parseNetEntry(text, AT, "linux")), text);
  }
});

Deno.test("parseNetEntry() refuses a wildcard above what one owner holds (T63)", () => {
  for (
    const text of ["*", "*.", "*.com", "*.co.uk", "*example.org", "a.*.org", "*.*.org", "*.1.2.3.4"]
  ) {
    const error = assertThrows(() => parseNetEntry(text, AT, "linux"), SkepError);
    assertEquals(error.code, "GRANT_INVALID", text);
  }
});

Deno.test("parseNetEntry() refuses what is no host, with a reason", () => {
  const cases: [string, string][] = [
    ["https://example.com", "not a URL"],
    ...["0.0.0.0", "0.0.0.0:80", "[::]", "127.0.0.2", "127.1.2.3:80"]
      .map((text): [string, string] => [
        text,
        "it is an address of this machine: write 127.0.0.1:PORT",
      ]),
    ["10.0.0.0/8", "not a URL or range"],
    ["a,b", "comma"],
    ["-A", "starts with -"],
    ["a b", "a space"],
    ["a:0", "from 1 to 65535"],
    ["a:65536", "from 1 to 65535"],
    ["a:http", "from 1 to 65535"],
    ["::1", "[IPv6]:port"],
    ["user@host", "no host name"],
    [".example.org", "no host name"],
    ["a..org", "no host name"],
    ["*..example.org", "no host name"],
    ["unix:run/x", "absolute path"],
  ];
  for (const [text, why] of cases) {
    assertThrows(() => parseNetEntry(text, AT, "linux"), SkepError, why);
  }
});

Deno.test("allowsHost() matches the apex and what is below it, never a longer name (T63)", () => {
  const entry = parseNetEntry("*.example.com", AT, "linux");
  assertEquals(allowsHost(entry, "example.com", 443), true);
  assertEquals(allowsHost(entry, "a.example.com", 443), true);
  assertEquals(allowsHost(entry, "evilexample.com", 443), false);
  assertEquals(allowsHost(parseNetEntry("a.org:443", AT, "linux"), "a.org", 80), false);
  assertEquals(allowsHost(parseNetEntry("loopback", AT, "linux"), "localhost", 80), true);
});

Deno.test("namesHost() tells a host from loopback and sockets", () => {
  const hosts = ["a.org", "*.a.org:1", "127.0.0.1", "localhost", "loopback.org", "[::1]:80"];
  assertEquals(hosts.map(namesHost), hosts.map(() => true));
  assertEquals(["loopback", "loopback:80", "unix:/run/x.sock"].map(namesHost), [
    false,
    false,
    false,
  ]);
});

import { assertEquals } from "@std/assert";
import { meetNet } from "./meet_net.ts";

Deno.test("meetNet() gives the narrower of two hosts, with the port that either names", () => {
  const cases: [asked: string, allowed: string, both: string | undefined][] = [
    ["example.org", "example.org", "example.org"],
    ["example.org:443", "example.org", "example.org:443"],
    ["example.org", "example.org:443", "example.org:443"],
    ["example.org:80", "example.org:443", undefined],
    ["a.example.org:443", "*.example.org", "a.example.org:443"],
    ["example.org", "*.example.org", "example.org"],
    ["*.example.org", "a.example.org:443", "a.example.org:443"],
    ["*.a.example.org", "*.example.org:443", "*.a.example.org:443"],
    ["*.example.org", "*.a.example.org", "*.a.example.org"],
    ["evilexample.org", "*.example.org", undefined],
    ["*.evilexample.org", "*.example.org", undefined],
    ["10.0.0.1", "10.0.0.2", undefined],
    ["loopback:80", "loopback", "loopback:80"],
    ["localhost:80", "loopback", "localhost:80"],
    ["loopback", "127.0.0.1:80", "127.0.0.1:80"],
    ["loopback", "example.org", undefined],
    ["unix:/run/x.sock", "unix:/run/x.sock", "unix:/run/x.sock"],
    ["unix:/run/x.sock", "unix:/run/y.sock", undefined],
    ["unix:/run/x.sock", "loopback", undefined],
  ];
  for (const [asked, allowed, both] of cases) {
    assertEquals(meetNet(asked, allowed, "linux"), both, `${asked} and ${allowed}`);
  }
});

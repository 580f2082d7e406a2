import { assertEquals } from "@std/assert";
import { type Allows, filterAddresses, refusedHost } from "./filter.ts";

/** A grant of exactly these hosts, at port 443. */
function granted(...hosts: string[]): Allows {
  return (host, port) => port === 443 && hosts.includes(host);
}

const NAME = "api.example.com";

function filter(found: string[], ...also: string[]): readonly string[] | string | undefined {
  const filtered = filterAddresses(NAME, 443, found, granted(NAME, ...also));
  return "addresses" in filtered ? filtered.addresses : filtered.refused.address?.what;
}

Deno.test("refusedHost() lets through what the grant names, at its port alone", () => {
  assertEquals(refusedHost(NAME, 443, granted(NAME)), undefined);
  assertEquals(refusedHost(NAME, 80, granted(NAME)), { host: NAME, port: 80 });
  assertEquals(refusedHost("evil.example", 443, granted(NAME)), {
    host: "evil.example",
    port: 443,
  });
});

Deno.test("filterAddresses() lets public addresses through, in the resolver's order", () => {
  assertEquals(filter(["93.184.216.34", "2606:4700::1111", "1.1.1.1"]), [
    "93.184.216.34",
    "2606:4700::1111",
    "1.1.1.1",
  ]);
});

Deno.test("filterAddresses() refuses a granted name that leads to this machine or its network", () => {
  assertEquals(filter(["127.0.0.1"]), "loopback");
  assertEquals(filter(["::1"]), "loopback");
  assertEquals(filter(["::ffff:127.0.0.1"]), "loopback");
  assertEquals(filter(["10.0.0.1"]), "private");
  assertEquals(filter(["169.254.169.254"]), "a cloud's metadata service");
  assertEquals(filter(["fe80::1%eth0"]), "no plain address");
  assertEquals(filter(["granted.example"]), "no plain address");
});

Deno.test("filterAddresses() lets such an address through when the grant names it", () => {
  assertEquals(filter(["10.0.0.1"], "10.0.0.1"), ["10.0.0.1"]);
  assertEquals(filter(["10.0.0.1"], "10.0.0.2"), "private");
  assertEquals(filter(["::1"], "[::1]"), ["::1"]);
  assertEquals(filter(["::ffff:10.0.0.1"], "10.0.0.1"), ["10.0.0.1"]);
  assertEquals(filter(["127.0.0.1"], "[::1]"), "loopback");
});

Deno.test("filterAddresses() leaves out the addresses that do not pass", () => {
  assertEquals(filter(["127.0.0.1", "93.184.216.34"]), ["93.184.216.34"]);
  assertEquals(filter(["93.184.216.34", "10.0.0.1", "::1"], "[::1]"), ["93.184.216.34", "::1"]);
});

Deno.test("filterAddresses() has nothing to refuse, and nothing to try, of a host without addresses", () => {
  assertEquals(filter([]), []);
});

Deno.test("filterAddresses() says what was asked for, where it leads and what that is", () => {
  assertEquals(filterAddresses(NAME, 443, ["127.0.0.1"], granted(NAME)), {
    refused: { host: NAME, port: 443, address: { host: "127.0.0.1", what: "loopback" } },
  });
});

import { assertEquals } from "@std/assert";
import { canonicalAddress, specialUse } from "./address.ts";

const META = "a cloud's metadata service";

/** Ranges by their last address before, first, last, and first address after. */
const EDGES: [
  before: string | undefined,
  first: string,
  last: string,
  after: string | undefined,
][] = [
  [undefined, "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
  ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["223.255.255.255", "224.0.0.0", "239.255.255.255", undefined],
  [undefined, "240.0.0.0", "255.255.255.255", undefined],
  [undefined, "::", "::", undefined],
  [undefined, "::1", "::1", undefined],
  [undefined, "::2", "1fff:ffff::", "2000::1"],
  [
    "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001::",
    "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:200::",
  ],
  [
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
  ],
  [
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff::",
    "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
  ],
  ["3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "fbff::", undefined],
  [undefined, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  [undefined, "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  [undefined, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  [undefined, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
];

function use(text: string): string | undefined {
  return specialUse(canonicalAddress(text)!);
}

Deno.test("specialUse() knows every special range at both of its edges", () => {
  for (const [before, first, last, after] of EDGES) {
    if (before !== undefined) assertEquals([before, use(before)], [before, undefined]);
    assertEquals([first, typeof use(first)], [first, "string"]);
    assertEquals([last, typeof use(last)], [last, "string"]);
    if (after !== undefined) assertEquals([after, use(after)], [after, undefined]);
  }
});

Deno.test("specialUse() sees an IPv4 address inside an IPv6 one", () => {
  for (const [, first, last] of EDGES.filter(([, first]) => first.includes("."))) {
    for (const address of [first, last]) {
      assertEquals([address, use(`::ffff:${address}`)], [address, use(address)]);
      assertEquals([address, use(`64:ff9b::${address}`)], [address, use(address)]);
    }
  }
  assertEquals(use("2002:7f00:1::"), "loopback"); // 6to4 of 127.0.0.1
  assertEquals(use("2002:a9fe:a9fe::1"), META);
  assertEquals(use("2002:808:808::1"), undefined);
  assertEquals(use("64:ff9b::8.8.8.8"), undefined);
  assertEquals(use("64:ff9b:1::8.8.8.8"), "reserved");
  assertEquals(use("::127.0.0.1"), "reserved");
});

Deno.test("specialUse() says what an address is", () => {
  const cases: [string, string | undefined][] = [
    ["127.0.0.1", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["::", "unspecified"],
    ["10.1.2.3", "private"],
    ["fd12::1", "private (unique local)"],
    ["169.254.0.1", "link-local"],
    ["fe80::1", "link-local"],
    ["100.64.0.1", "a provider's own (carrier-grade NAT)"],
    ["224.0.0.1", "multicast"],
    ["ff02::1", "multicast"],
    ["169.254.169.254", META],
    ["::ffff:169.254.169.254", META],
    ["fd00:ec2::254", META],
    ["fd20:ce::254", META],
    ["100.100.100.200", META],
    ["168.63.129.16", META],
    ["192.0.0.192", META],
    ["168.63.129.17", undefined],
    ["1.1.1.1", undefined],
    ["2606:4700::1111", undefined],
  ];
  for (const [text, what] of cases) assertEquals([text, use(text)], [text, what]);
});

Deno.test("specialUse() refuses what is no plain address", () => {
  assertEquals(specialUse("example.com"), "no plain address");
  assertEquals(specialUse("fe80::1%eth0"), "no plain address");
});

Deno.test("canonicalAddress() reads what resolvers write, and no name", () => {
  assertEquals(canonicalAddress("127.0.0.1"), "127.0.0.1");
  assertEquals(canonicalAddress("2001:DB8::1"), "[2001:db8::1]");
  assertEquals(canonicalAddress("::ffff:10.0.0.1"), "10.0.0.1");
  assertEquals(canonicalAddress("fe80::1%eth0"), undefined);
  assertEquals(canonicalAddress("example.com"), undefined);
});

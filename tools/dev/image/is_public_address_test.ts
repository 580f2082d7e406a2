import { assertEquals } from "@std/assert";
import { isPublicAddress } from "./is_public_address.ts";

Deno.test("isPublicAddress() takes the addresses of the public internet", () => {
  const addresses = [
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.0",
    "11.0.0.0",
    "2606:4700::1",
    "::ffff:8.8.8.8",
  ];
  for (const address of addresses) {
    assertEquals([address, isPublicAddress(address)], [address, true]);
  }
});

Deno.test("isPublicAddress() refuses this machine, its networks, and what cannot be read", () => {
  const addresses = [
    ...["127.0.0.1", "127.255.255.255", "0.0.0.0", "10.1.2.3", "172.16.0.0", "172.31.255.255"],
    ...["192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255"],
    ...[
      "::",
      "::1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "fe80::1",
      "fc00::1",
      "fd12::1",
      "ff02::1",
    ],
    ...["2002:7f00:1::", "64:ff9b::10.0.0.1", "2001:db8::1", "::127.0.0.1"],
    ...["", "a", "1.2.3", "1.2.3.256", "1:2", ":::", "1::2::3", "1:2:3:4:5:6:7:8:9", "g::"],
  ];
  for (const address of addresses) {
    assertEquals([address, isPublicAddress(address)], [address, false]);
  }
});

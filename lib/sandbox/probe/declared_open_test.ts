import { assertEquals } from "@std/assert";
import type { Launch } from "../launch.ts";
import { isDeclaredOpen } from "./declared_open.ts";

const launch = (kind: Launch["kind"], net: string[], backend?: string) =>
  ({
    kind,
    grant: { run: [], net: net.map((value) => ({ value })) },
    ...(backend && { confined: { backend } }),
  }) as unknown as Launch;

Deno.test("a native server with hosts passes its probe: unix sockets are said to be open to it, and nothing else is", () => {
  const hosts = launch("native", ["api.example.com:443"], "bwrap");
  const opened = ["socket-unix", "unix-datagram", "unix-socket-outside", "socket-raw", "read-key"]
    .filter((probe) => isDeclaredOpen(probe, hosts));
  assertEquals(opened, ["socket-unix", "unix-datagram"]);
  const held = [
    launch("native", [], "bwrap"),
    launch("script", ["api.example.com:443"], "unshare"),
    launch("native", ["api.example.com:443"], "landlock"),
    launch("native", ["api.example.com:443"]),
  ];
  assertEquals(held.some((each) => isDeclaredOpen("socket-unix", each)), false);
});

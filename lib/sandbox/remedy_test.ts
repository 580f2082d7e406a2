import { assertEquals } from "@std/assert";
import { explainDenial, findDenial } from "./denial.ts";
import { testGrant } from "./test_grant.ts";

const SOURCE = { kind: "file", where: "/home/u/mcp.json" } as const;
const failed = (text: string) => ({ isError: true, content: [{ type: "text", text }] });

Deno.test("explainDenial() proposes no line that skep refuses or calls a danger", async () => {
  const { grant } = await testGrant({ origin: SOURCE, permissions: {} });
  const tail = (access: string, value: string) =>
    explainDenial({ server: "s", access, value, isCertain: false }, grant).split("empty. ")[1] ??
      "";
  for (
    const [access, value, why] of [
      ["read", "/proc", "No grant opens /proc"],
      ["read", "/sys/fs/cgroup", "No grant opens /sys"],
      ["read", "/", "goes to no server"],
      [
        "read",
        "/etc/shadow",
        "No line is proposed for it, since with one the server may read /etc",
      ],
      ["write", "/etc/x", "it can change programs and settings of the system"],
      ["write", "/home/u/.bashrc", "it can change what runs by itself"],
      ["write", "/home/u", "goes to no server"],
      ["net", "169.254.169.254:80", "where a machine in a cloud gets its keys"],
    ] as const
  ) {
    assertEquals(tail(access, value).includes(why), true, `${value}: ${tail(access, value)}`);
    assertEquals(tail(access, value).includes("To allow it"), false, value);
  }
  const text = 'NotCapable: Requires all access to "/proc/1/environ", run again with --allow-all';
  assertEquals(findDenial(grant, failed(text))?.value, "/proc/1/environ");
});

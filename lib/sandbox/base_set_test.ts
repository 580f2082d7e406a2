import { assertEquals } from "@std/assert";
import { BASE_SET, baseMounts, NETWORK_SET } from "./base_set.ts";
import { memoryFiles } from "./test_world.ts";

Deno.test("baseMounts() shows what is there, keeps links within it, and follows those that lead out", async () => {
  const files = memoryFiles({
    "/usr/bin/x": "#!",
    "/bin": "->/usr/bin",
    "/etc/hosts": "x",
    "/etc/localtime": "->/usr/share/zone",
    "/usr/share/zone": "x",
    "/etc/resolv.conf": "->/run/resolv",
    "/run/resolv": "x",
    "/etc/mime.types": "->/nowhere",
  });
  const paths = [
    "/usr",
    "/bin",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/resolv.conf",
    "/etc/mime.types",
  ];
  assertEquals(await baseMounts([...paths, "/missing"], { files }), [
    { type: "read", path: "/usr", isFolder: true },
    { type: "link", path: "/bin", to: "/usr/bin" },
    { type: "read", path: "/etc/hosts", isFolder: false },
    { type: "link", path: "/etc/localtime", to: "/usr/share/zone" },
    { type: "read", path: "/etc/resolv.conf", source: "/run/resolv", isFolder: false },
  ]);
});

Deno.test("BASE_SET has a reason for everything, and nothing that is a secret, a home or a socket", () => {
  for (const [path, reason] of Object.entries({ ...BASE_SET, ...NETWORK_SET })) {
    assertEquals([path.startsWith("/"), reason.length > 3], [true, true], path);
    assertEquals(
      /^\/(home|root|run|var|tmp|proc|dev)\b|shadow|sudoers|\/etc$|^\/$/.test(path),
      false,
      path,
    );
  }
});

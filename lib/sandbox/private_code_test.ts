import { assertEquals } from "@std/assert";
import type { ServerSpec } from "./spec.ts";
import { withPrivateCode } from "./private_code.ts";

const SPEC: ServerSpec = {
  name: "hook_on_stop",
  command: "/p/hooks/a.sh",
  args: [],
  env: {},
  ceiling: { permissions: { env: [] }, file: "/p/a.persona.md" },
  origin: { kind: "pack", where: "/p/a.persona.md" },
};

Deno.test("withPrivateCode() writes the bytes that were read, and has the copy started", async () => {
  const written: [string, string, number | undefined][] = [];
  const files = {
    makeFolder: () => Promise.resolve(),
    writeBytes: (path: string, bytes: Uint8Array, mode?: number) => {
      written.push([path, new TextDecoder().decode(bytes), mode]);
      return Promise.resolve();
    },
  };
  assertEquals(await withPrivateCode(SPEC, "/tmp/r", "/p", files), SPEC);
  const bytes = (text: string) => new TextEncoder().encode(text);
  const code = {
    main: "hooks/a.sh",
    entries: [
      { path: "hooks/a.sh", bytes: bytes("1"), isExecutable: true },
      { path: "hooks/lib/b", bytes: bytes("2"), isExecutable: false },
    ],
  };
  const { command, env, ceiling } = await withPrivateCode({ ...SPEC, code }, "/tmp/r", "/p", files);
  assertEquals(written, [
    ["/tmp/r/code/hooks/a.sh", "1", 0o500],
    ["/tmp/r/code/hooks/lib/b", "2", 0o400],
  ]);
  assertEquals([command, env], ["/tmp/r/code/hooks/a.sh", { SKEP_PACK: "/p" }]);
  assertEquals(ceiling?.permissions, { env: ["SKEP_PACK"] });
});

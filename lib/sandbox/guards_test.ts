import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Grant } from "./grant.ts";
import { guardMounts, pins } from "./guards.ts";
import type { ProtectedFile } from "./protected_files.ts";

const GRANT = { server: "s" } as Grant;
const file = (path: string, kind: ProtectedFile["kind"], text?: string): ProtectedFile => ({
  path,
  name: "vscode",
  kind,
  reason: "git runs them",
  ...(text === undefined ? {} : { placeholder: { path, text } }),
});
const mounts = (...files: ProtectedFile[]) => guardMounts(files, ["/ws"], GRANT, "linux");

Deno.test("guardMounts() makes what is protected read-only, where it may be written, and pins its folders", () => {
  assertEquals(
    mounts(file("/ws/.git/hooks", "folder"), file("/ws/.envrc", "file"), file("/x", "file")),
    {
      mounts: [
        { type: "write", path: "/ws/.git", isFolder: true },
        { type: "read", path: "/ws/.git/hooks", isFolder: true },
        { type: "read", path: "/ws/.envrc", isFolder: false },
      ],
      placeholders: [],
    },
  );
});

Deno.test("guardMounts() holds a place for what is missing", () => {
  assertEquals(mounts(file("/ws/.husky", "missing"), file("/ws/.git/config", "missing", "")), {
    mounts: [
      { type: "read", path: "/ws/.husky", isFolder: true },
      { type: "write", path: "/ws/.git", isFolder: true },
      { type: "read", path: "/ws/.git/config", isFolder: false },
    ],
    placeholders: [{ path: "/ws/.husky" }, { path: "/ws/.git/config", text: "" }],
  });
});

Deno.test("guardMounts() refuses a link, with the ways out", () => {
  const error = assertThrows(
    () => mounts(file("/ws/.vscode", "link")),
    SkepError,
    "/ws/.vscode is a link there, which cannot be kept from being replaced (git runs them). Put what it " +
      "leads to in its place, choose another --cwd, or leave it out of protect: in a policy",
  );
  assertEquals(error.code, "GRANT_REFUSED");
  assertEquals(mounts(file("/elsewhere", "link")).mounts, []);
});

Deno.test("pins() are the folders between a writable one and a path in it", () => {
  assertEquals(pins("/ws", "/ws/a/b/c").map(({ path }) => path), ["/ws/a/b", "/ws/a"]);
  assertEquals(pins("/ws", "/ws/a"), []);
});

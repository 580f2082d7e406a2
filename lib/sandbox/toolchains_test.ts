import { assertEquals } from "@std/assert";
import { protectedPaths } from "./never_granted.ts";
import { testContext } from "./test_world.ts";
import { shownPrograms, TOOLCHAIN_VARIABLES } from "./toolchains.ts";

async function shown(path: string, files: Record<string, string>) {
  const context = testContext({ files });
  const guarded = await protectedPaths(context, { denoDir: "/home/u/.cache/deno" });
  return await shownPrograms(path, context, guarded);
}

Deno.test("shownPrograms() shows folders of PATH outside the base set, and drops what is not there", async () => {
  assertEquals(
    await shown("/usr/bin:/opt/x/bin:/nowhere:/opt/x/bin", { "/opt/x/bin/tool": "#!" }),
    { paths: ["/opt/x/bin"], variables: {}, path: "/usr/bin:/opt/x/bin" },
  );
});

Deno.test("shownPrograms() shows what the shims of a version manager lead to, and tells it where that is", async () => {
  const files = { "/home/u/.pyenv/shims/python3": "#!", "/home/u/.cargo/bin/cargo": "#!" };
  assertEquals(await shown("/home/u/.pyenv/shims:/home/u/.cargo/bin", files), {
    paths: ["/home/u/.pyenv", "/home/u/.cargo/bin"],
    variables: { PYENV_ROOT: "/home/u/.pyenv", RUSTUP_HOME: "/home/u/.rustup" },
    path: "/home/u/.pyenv/shims:/home/u/.cargo/bin",
  });
  const node = "/home/u/.nvm/versions/node/v20/bin";
  assertEquals(await shown(node, { [`${node}/node`]: "#!" }), {
    paths: ["/home/u/.nvm/versions/node"],
    variables: {},
    path: node,
  });
});

Deno.test("shownPrograms() shows a version manager's root wherever it lies: in another home, by its variable, by what is in it", async () => {
  const files = {
    "/root/.pyenv/shims/pip": "#!",
    "/opt/asdf/shims/node": "#!",
    "/opt/asdf/installs/node/20/bin/node": "program",
    "/srv/nvm/.nvm/versions/node/v20/bin/node": "program",
    "/opt/volta/bin/npm": "#!",
    "/opt/node/bin/node": "program",
    "/opt/node/lib/node_modules/npm/x": "",
    "/venv/bin/python": "->/usr/bin/python3",
    "/venv/pyvenv.cfg": "",
  };
  const path = ["/root/.pyenv/shims", "/opt/asdf/shims", "/srv/nvm/.nvm/versions/node/v20/bin"]
    .concat("/opt/volta/bin", "/opt/node/bin", "/venv/bin").join(":");
  const context = testContext({ files, env: { VOLTA_HOME: "/opt/volta" } });
  const guarded = await protectedPaths(context, { denoDir: "/home/u/.cache/deno" });
  const { paths, variables } = await shownPrograms(path, context, guarded);
  assertEquals(paths, [
    "/root/.pyenv",
    "/opt/asdf",
    "/srv/nvm/.nvm/versions/node",
    "/opt/volta",
    "/opt/node/bin",
    "/opt/node/lib/node_modules",
    "/venv",
  ]);
  assertEquals(variables, {
    PYENV_ROOT: "/root/.pyenv",
    ASDF_DATA_DIR: "/opt/asdf",
    VOLTA_HOME: "/opt/volta",
  });
});

Deno.test("shownPrograms() drops a folder of PATH where this user may not look, and starts the server", async () => {
  const context = testContext({ files: { "/opt/x/bin/tool": "#!" } });
  const { files } = context.host;
  const stat = (path: string) =>
    path.startsWith("/root")
      ? Promise.reject(new Deno.errors.PermissionDenied(path))
      : files.stat(path);
  const host = { ...context.host, files: { ...files, stat } };
  assertEquals(await shownPrograms("/root/bin:/opt/x/bin", { host }, []), {
    paths: ["/opt/x/bin"],
    variables: {},
    path: "/opt/x/bin",
  });
});

Deno.test("shownPrograms() shows nothing that is never granted, nor what holds it", async () => {
  const files = { "/home/u/.ssh/bin/x": "#!", "/home/u/x": "x" };
  assertEquals(await shown("/home/u/.ssh/bin:/home/u", files), {
    paths: [],
    variables: {},
    path: "",
  });
});

Deno.test("TOOLCHAIN_VARIABLES has a reason for each variable that shownPrograms() sets", () => {
  assertEquals(
    TOOLCHAIN_VARIABLES.RUSTUP_HOME,
    "where .rustup lies, since its home is another one",
  );
  assertEquals(Object.keys(TOOLCHAIN_VARIABLES).sort(), [
    ...["ASDF_DATA_DIR", "MISE_DATA_DIR", "PYENV_ROOT", "RBENV_ROOT", "RUSTUP_HOME", "VOLTA_HOME"],
  ]);
});

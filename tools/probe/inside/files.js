import { any, append, bait, create, deny, named, readByte, swap } from "./attempt.js";

/** Files outside the grant: to read, to write, and what is known of them. */
export async function files() {
  await reading();
  await writing();
  await metadata();
  await others();
}

async function reading() {
  const { secret, outside } = bait;
  await deny("read-outside", () => Deno.readTextFileSync(secret));
  await deny("read-dotdot", () => Deno.readTextFileSync("../secret.txt"));
  await deny("read-old-link", () => Deno.readTextFileSync("link"));
  await deny("read-old-folder-link", () => Deno.readTextFileSync("linked/inside.txt"));
  await deny("read-new-link", () => {
    Deno.symlinkSync(secret, named("link"));
    try {
      return Deno.readTextFileSync(named("link"));
    } finally {
      Deno.removeSync(named("link"));
    }
  });
  await deny("read-by-file-url", async () => await (await fetch(`file://${secret}`)).text());
  await deny("list-outside", () => [...Deno.readDirSync(outside)].map(({ name }) => name));
  await deny("stat-outside", () => `${Deno.statSync(secret).size} bytes`);
  await deny("watch-outside", () => Deno.watchFs(outside).close());
  await deny("enter-outside", () => {
    const here = Deno.cwd();
    Deno.chdir(outside);
    Deno.chdir(here);
  });
}

async function writing() {
  const { secret, outside } = bait;
  await deny("write-outside", () => append(secret));
  await deny("write-old-link", () => append("link"));
  await deny("create-outside", () => create(`${outside}/${named("new")}`));
  await deny("create-by-folder-link", () => create(`linked/${named("new")}`));
  await deny("make-folder-outside", () => {
    Deno.mkdirSync(`${outside}/${named("folder")}`);
    Deno.removeSync(`${outside}/${named("folder")}`);
  });
  await deny("hard-link", () => {
    Deno.linkSync(secret, named("hard"));
    Deno.removeSync(named("hard"));
  });
  await deny("rename-in", () => swap(bait.movable, named("moved")));
  await deny("rename-out", () => swap("inside.txt", `${outside}/${named("moved")}`));
  await deny("remove-outside", () => Deno.removeSync(bait.removable));
}

async function metadata() {
  await deny("chmod-outside", () => Deno.chmodSync(bait.meta, 0o666));
  await deny("chown-outside", () => Deno.chownSync(bait.meta, bait.uid, bait.gid));
  await deny("utime-outside", () => Deno.utimeSync(bait.meta, 1, 1));
}

async function others() {
  await deny("read-key", () => Deno.readTextFileSync(bait.key));
  await deny("write-key", () => append(bait.key));
  await deny("list-settings", () => `${[...Deno.readDirSync(bait.config)].length} files`);
  await deny("read-credentials", () => any(bait.credentials, readByte));
  if (bait.personal.length > 0) {
    await deny("read-personal-file", () => any(bait.personal, readByte));
  }
  await deny("read-other-server", () => Deno.readTextFileSync(bait.other));
  await deny("write-other-server", () => append(bait.other));
  await deny("read-shared-memory", () => Deno.readTextFileSync(bait.shm));
  await deny("read-deno-storage", () => Deno.readTextFileSync(bait.stored));
  await deny("write-skep", () => any(bait.programs, append));
  await deny("write-beside-deno", () => create(`${bait.deno}-${bait.unique}`));
  await deny("write-program", () => any(["/usr/bin/env", "/bin/true"], append));
  // Whatever skep is started from next time: Deno's cache, its program, start scripts, npm's package.
  await deny("write-run-files", () => any(bait.runFiles, append));
  await deny(
    "write-run-folders",
    () => any(bait.runFolders, (folder) => create(`${folder}/${named("new")}`)),
  );
  await deny("write-deno-dir", () => create(`${bait.denoDir}/${named("new")}`));
}

import { allow, bait, create, deny, folder, named, open, swap } from "./attempt.js";

/** What the grant allows. */
export async function granted() {
  const reading = bait.isReadable ? allow : deny;
  await reading("read-workspace", () => Deno.readTextFileSync("inside.txt"));
  await allow("write-private-folder", () => create(`${bait.tmp}/${named("new")}`));
  await allow("know-home", () => {
    const home = Deno.env.get("HOME");
    if (home === undefined) throw new Error("it is not set");
  });
  await allow("go-on-after-a-denial", () => {
    try {
      Deno.readTextFileSync(bait.secret);
    } catch {
      Deno.readTextFileSync(`${folder}/bait.json`);
      return "it read its own folder";
    }
    return "there was no denial";
  });
  const workspace = bait.isWritable ? allow : deny;
  await workspace("write-workspace", () => create(named("new")));
  await workspace("make-folder-in-workspace", () => {
    Deno.mkdirSync(named("folder"));
    Deno.removeSync(named("folder"));
  });
  await workspace("rename-in-workspace", () => swap("inside.txt", named("renamed")));
  await workspace("write-in-repository", () => create(`.git/${named("new")}`));
}

/** What the grant's own entries name, each used once. Nothing that is there is changed, no program started. */
export async function grantedEntries() {
  for (const path of bait.grantedRead) await allow(`granted-read ${path}`, () => look(path));
  for (const path of bait.grantedWrite) {
    await allow(`granted-write ${path}`, () => create(`${path}/${named("skep-probe")}`));
  }
  for (const path of bait.grantedRun) {
    await allow(`granted-run ${path}`, () => {
      const { state } = Deno.permissions.querySync({ name: "run", command: path });
      if (state !== "granted") throw new Error(`the permission is ${state}`);
      return "Deno lets it start it; it was not started";
    });
  }
  for (const port of bait.grantedPorts) {
    await allow(port === 0 ? "granted-net loopback" : `granted-net loopback:${port}`, () => {
      try {
        Deno.listen({ hostname: "127.0.0.1", port: port }).close();
      } catch (error) {
        if (!(error instanceof Deno.errors.AddrInUse)) throw error;
        return "it is in use";
      }
    });
  }
}

function look(path) {
  const { isDirectory, isFile } = Deno.statSync(path);
  if (isDirectory) return `it lists it: ${Deno.readDirSync(path).next().done ? "empty" : "files"}`;
  if (isFile) open(path); // a pipe or a device may wait for its other end
}

/** What a program gets that flags do not hold. */
export async function grantedToPrograms() {
  const network = bait.hasOwnNetwork ? allow : deny;
  await network("own-loopback", async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const ends = await Promise.all([Deno.connect({ port }), listener.accept()]);
    for (const end of [...ends, listener]) end.close();
  });
  await allow("write-null", () => Deno.writeTextFileSync("/dev/null", "x"));
  await allow("start-program", () => {
    new Deno.Command("/bin/sh", { args: ["-c", ":"] }).outputSync();
  });
}

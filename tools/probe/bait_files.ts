import { basename, dirname, join } from "@std/path";
import type { Libc } from "./libc.ts";
import type { World } from "./world.ts";

/** Where the bait is to lie. */
export interface BaitPlaces {
  readonly config: string;
  readonly denoDir: string;
  /** A home folder of a test's own, for credentials; absent: none are laid. */
  readonly testHome?: string;
}

/** A file that must stay as it is. */
interface Lure {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** What is known of a lure when all is well. */
type Facts = Readonly<Record<"text" | "mode" | "uid" | "gid" | "mtime" | "attribute", unknown>>;

const ATTRIBUTE = "user.skep-probe";
const PRIVATE = 0o600;
/** A name that a list in a flag, a shell or a line would take apart. */
const HARD_NAME = "w s,*'\"$(id)\n-A";

/** The files of the bait: a hostile workspace, and around it what a server must not get. */
export class BaitFiles {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly other: string;
  readonly key: string;
  readonly shm: string;
  readonly credentials: readonly string[];
  /** What a program of the person's has stored by Deno. */
  readonly stored: string;
  readonly #lures: readonly Lure[];
  readonly #world: World;
  readonly #libc: Libc;
  readonly #places: BaitPlaces;
  readonly #unique: string;
  /** Folders of its own, which go with all that is in them. */
  readonly #roots: readonly string[];
  /** Folders that were made among others'. They go when nobody has put anything into them. */
  readonly #made: string[] = [];
  #before = new Map<string, Facts>();
  #stored: readonly string[] = [];

  private constructor(
    base: string,
    otherRoot: string,
    unique: string,
    places: BaitPlaces,
    world: World,
    libc: Libc,
  ) {
    this.base = base;
    this.workspace = join(base, HARD_NAME);
    this.outside = join(base, "outside");
    this.other = join(otherRoot, "tmp", "secret.txt");
    this.key = join(places.config, `probe-${unique}.key`);
    this.shm = `/dev/shm/skep-probe-${unique}`;
    const { testHome } = places;
    this.credentials = testHome === undefined
      ? []
      : [".ssh/id_probe", ".aws/credentials"].map((name) => join(testHome, name));
    this.stored = join(places.denoDir, "location_data", `skep-probe-${unique}`, "local_storage");
    this.#world = world;
    this.#libc = libc;
    this.#places = places;
    this.#unique = unique;
    this.#roots = [base, otherRoot];
    this.#lures = [
      ...["secret.txt", "movable.txt", "removable.txt", "meta.txt", "outside/inside.txt"]
        .map((name) => ({ path: join(base, name), text: `secret of ${name}\n`, mode: PRIVATE })),
      { path: join(base, "secret.json"), text: '{"secret": true}', mode: PRIVATE },
      ...[this.other, this.key, this.shm, this.stored, ...this.credentials]
        .map((path) => ({ path, text: `secret of ${basename(path)}\n`, mode: PRIVATE })),
      ...workspaceLures(this.workspace),
    ];
  }

  /** Lays it. */
  static async lay(
    unique: string,
    places: BaitPlaces,
    world: World,
    libc: Libc,
  ): Promise<BaitFiles> {
    const base = await world.realPath(await world.makeTempDir({ prefix: "skep-probe-" }));
    const otherRoot = await world.realPath(await world.makeTempDir({ prefix: "skep-" }));
    const files = new BaitFiles(base, otherRoot, unique, places, world, libc);
    await files.#restore();
    const { workspace } = files;
    await world.symlink(join(base, "secret.txt"), join(workspace, "link"));
    await world.symlink(files.outside, join(workspace, "linked"));
    return files;
  }

  /** What came of the files since the last look, a sentence each; then all is as before again. */
  async check(): Promise<Record<string, string[]>> {
    const changed: string[] = [];
    for (const { path } of this.#lures) {
      const before = this.#before.get(path);
      const now = await this.#facts(path);
      for (const [name, value] of Object.entries(before ?? {})) {
        const there = now?.[name as keyof Facts];
        if (there !== value) changed.push(`${name} of ${path}: ${value} became ${there}`);
      }
    }
    const added = await this.#added();
    const stored = await this.#storedHere();
    const result = {
      "after-files-are-as-before": changed,
      "after-nothing-is-new": added,
      "after-deno-dir-is-as-before": stored,
    };
    for (const path of [...added, ...stored]) await this.#remove(path);
    await this.#restore();
    return result;
  }

  /** Removes all of it. */
  async remove(): Promise<void> {
    for (const path of [...this.#lures.map((lure) => lure.path), ...this.#roots]) {
      await this.#remove(path);
    }
    for (const path of this.#made.toReversed()) {
      await this.#world.remove(path).catch(() => {}); // it went with a root, or is in use
    }
  }

  async #restore(): Promise<void> {
    this.#before = new Map();
    for (const { path, text, mode } of this.#lures) {
      await this.#makeFolder(dirname(path));
      await this.#world.writeTextFile(path, text);
      await this.#world.chmod(path, mode);
      this.#libc.setAttribute(path, ATTRIBUTE, "kept");
      this.#before.set(path, (await this.#facts(path))!);
    }
    this.#stored = await this.#storage();
  }

  async #makeFolder(path: string): Promise<void> {
    if (await this.#world.lstat(path).catch(() => undefined) !== undefined) return;
    await this.#makeFolder(dirname(path));
    await this.#world.mkdir(path, { mode: 0o700 });
    this.#made.push(path);
  }

  async #facts(path: string): Promise<Facts | undefined> {
    try {
      const { mode, uid, gid, mtime } = await this.#world.lstat(path);
      const text = await this.#world.readTextFile(path);
      const attribute = this.#libc.attribute(path, ATTRIBUTE);
      return { text, mode, uid, gid, mtime: mtime?.getTime(), attribute };
    } catch {
      return undefined; // it is gone: all of its facts have changed
    }
  }

  /** What lies where nothing new may lie. */
  async #added(): Promise<string[]> {
    const { workspace, outside } = this;
    const known = new Set(this.#lures.map(({ path }) => path));
    const found = [
      ...(await this.#list(outside)).filter((path) => !known.has(path)),
      ...(await this.#list(this.#places.config)).filter((path) => path.includes(this.#unique)),
      ...(await this.#list(this.#places.denoDir)).filter((path) => path.includes(this.#unique)),
      ...(await this.#list("/dev/shm")).filter((path) => path.includes(this.#unique)),
    ];
    for (const name of [".git/hooks", ".vscode", ".devcontainer", ".husky", ".idea"]) {
      found.push(...await this.#list(join(workspace, name)));
    }
    const { isFile } = await this.#world.lstat(join(workspace, ".envrc"))
      .catch(() => ({ isFile: false }));
    if (isFile) found.push(join(workspace, ".envrc"));
    return found.filter((path) => !known.has(path));
  }

  /** What was stored in Deno's cache since, by whoever knows this bait: other programs store there too. */
  async #storedHere(): Promise<string[]> {
    const found: string[] = [];
    for (const folder of await this.#storage()) {
      if (this.#stored.includes(folder)) continue;
      for (const path of await this.#list(folder)) {
        const text = await this.#world.readTextFile(path).catch(() => ""); // it is gone again
        if (text.includes(this.#unique) && !found.includes(folder)) found.push(folder);
      }
    }
    return found;
  }

  /** What programs have stored in Deno's cache. */
  #storage(): Promise<string[]> {
    return this.#list(join(this.#places.denoDir, "location_data"));
  }

  async #list(folder: string): Promise<string[]> {
    try {
      const entries = await Array.fromAsync(this.#world.readDir(folder));
      return entries.map(({ name }) => join(folder, name));
    } catch {
      return []; // there is no such folder
    }
  }

  async #remove(path: string): Promise<void> {
    await this.#world.remove(path, { recursive: true }).catch(() => {}); // it is gone already
  }
}

/** A repository whose files mean harm to whoever reads them as configuration. */
function workspaceLures(workspace: string): Lure[] {
  const files: Record<string, string> = {
    "inside.txt": "inside\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
    ".git/objects/info/packs": "",
    ".git/refs/heads/none": "",
    ".vscode/settings.json": "{}\n",
    ".devcontainer/devcontainer.json": "{}\n",
    "deno.json": '{"imports": {"skep-hijack": "./hijack.js"}, "permissions": {"default": true}}\n',
    "package.json": '{"type": "commonjs", "dependencies": {"skep-hijack": "file:./hijack.js"}}\n',
    "hijack.js": "export default 'hijacked';\n",
  };
  return Object.entries(files).map(([name, text]) => ({
    path: join(workspace, name),
    text,
    mode: 0o644,
  }));
}

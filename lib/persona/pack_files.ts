import { join, sep } from "@std/path";
import { messageOf } from "../errors.ts";
import { decodeText } from "../host/decode_text.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import type { Problems } from "./problems.ts";

/** What reading a pack takes of the files. */
export type PackReader = Pick<Files, "readInside" | "realPath" | "stat" | "list">;
/** The bounds of a pack's files. */
export type PackLimits = Pick<Limits, "maxConfigFileBytes" | "maxPersonaBodyBytes">;

/** A text file of a pack, links followed. */
export interface PackText {
  /** Canonical. */
  readonly file: string;
  /** With `\n` line endings and without a byte order mark. */
  readonly text: string;
}

/** The files of one pack: every path is held inside it, links followed, and each problem is told. */
export class PackFiles {
  constructor(
    /** Canonical. */
    readonly folder: string,
    readonly files: PackReader,
    readonly problems: Problems,
  ) {}

  /** A text file; undefined when there is none, or it cannot be used, which was told. */
  async text(inside: string, maxBytes: number): Promise<PackText | undefined> {
    const path = this.path(inside);
    if (path === undefined) return undefined;
    try {
      const found = await this.files.readInside(this.folder, path, maxBytes);
      if (found === undefined) return undefined;
      const text = decodeText(found.bytes);
      return { file: found.path, text: text.replaceAll("\r\n", "\n") };
    } catch (cause) {
      return void this.problems.error(path, messageOf(cause), { cause });
    }
  }

  /** A text file that must be there. */
  async namedText(inside: string, maxBytes: number): Promise<PackText | undefined> {
    const before = this.problems.all.length;
    const found = await this.text(inside, maxBytes);
    if (found === undefined && this.problems.all.length === before) {
      this.problems.error(join(this.folder, inside), "there is no such file in the pack");
    }
    return found;
  }

  /** The canonical path of a file or folder that must be there; undefined when it is not, which was told. */
  async existing(inside: string, what: "file" | "folder"): Promise<string | undefined> {
    const path = this.path(inside);
    if (path === undefined) return undefined;
    try {
      const facts = await this.files.stat(path);
      if (what === "file" ? facts?.isFile : facts?.isDirectory) {
        const real = await this.files.realPath(path);
        if (real.startsWith(this.folder + sep)) return real;
        return void this.problems.error(path, `it leads out of ${this.folder}`);
      }
      this.problems.error(path, `there is no such ${what} in the pack`);
    } catch (cause) {
      this.problems.error(path, messageOf(cause), { cause });
    }
    return undefined;
  }

  /** An absolute path; undefined for one that leaves the pack as it is written. */
  path(inside: string): string | undefined {
    const path = join(this.folder, inside);
    const isRelative = !/^([\\/]|[A-Za-z]:)/.test(inside) && !inside.includes("\0");
    if (isRelative && !inside.split(/[\\/]/).includes("..")) return path;
    const reason = `the path "${inside}" must be relative and stay inside the pack`;
    return void this.problems.error(path, reason);
  }
}

/** The most bytes of one persona file: frontmatter, body, and the two lines around the first. */
export function personaFileBytes(limits: PackLimits): number {
  const DELIMITERS = 16;
  return limits.maxConfigFileBytes + limits.maxPersonaBodyBytes + DELIMITERS;
}

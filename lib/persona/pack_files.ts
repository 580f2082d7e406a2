import { join, sep } from "@std/path";
import { messageOf } from "../errors.ts";
import { decodeText } from "../host/decode_text.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import type { At, Problems } from "./problems.ts";

/** What reading a pack takes of the files. */
export type PackReader = Pick<Files, "readInside" | "realPath" | "stat" | "list">;
/** The bounds of a pack's files, and those that its personas lower. */
export type PackLimits = Limits;

/** A text file of a pack, links followed. */
export interface PackText {
  /** Canonical. */
  readonly file: string;
  /** With `\n` line endings and without a byte order mark. */
  readonly text: string;
}

/** Tells where a file is named; asked only when there is something to tell. */
export type Naming = () => At;

/** The files of one pack: every path is held inside it, links followed, and each problem is told. */
export class PackFiles {
  constructor(
    /** Canonical. */
    readonly folder: string,
    readonly files: PackReader,
    readonly problems: Problems,
  ) {}

  /**
   * A text file; undefined when there is none, or it cannot be used, which was told.
   *
   * @param by Where it is named; the file itself unless given.
   */
  async text(inside: string, maxBytes: number, by?: Naming): Promise<PackText | undefined> {
    const path = this.path(inside, by);
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

  /** A text file that must be there, since another one names it. */
  async namedText(inside: string, maxBytes: number, by: Naming): Promise<PackText | undefined> {
    const before = this.problems.all.length;
    const found = await this.text(inside, maxBytes, by);
    if (found === undefined && this.problems.all.length === before) this.tellMissing(inside, by);
    return found;
  }

  /** The canonical path of a file that must be there, since another one names it; undefined: it was told. */
  async existing(inside: string, by: Naming): Promise<string | undefined> {
    const path = this.path(inside, by);
    if (path === undefined) return undefined;
    try {
      if (!(await this.files.stat(path))?.isFile) return this.tellMissing(inside, by);
      const real = await this.files.realPath(path);
      if (real.startsWith(this.folder + sep)) return real;
      this.problems.error(path, `it leads out of ${this.folder}`);
    } catch (cause) {
      this.problems.error(path, messageOf(cause), { cause });
    }
    return undefined;
  }

  /** An absolute path; undefined for one that leaves the pack as it is written. */
  private path(inside: string, by?: Naming): string | undefined {
    const path = join(this.folder, inside);
    const isRelative = !/^([\\/]|[A-Za-z]:)/.test(inside) && !inside.includes("\0");
    if (isRelative && !inside.split(/[\\/]/).includes("..")) return path;
    const reason = `the path "${inside}" must be relative and stay inside the pack`;
    return this.tell(reason, by ?? (() => ({ file: path })));
  }

  private tellMissing(inside: string, by: Naming): undefined {
    return this.tell(`there is no file "${inside}" in the pack`, by);
  }

  private tell(reason: string, by: Naming): undefined {
    const { file, place } = by();
    this.problems.error(file, reason, { place });
  }
}

/** The most bytes of one persona file: frontmatter, body, and the two lines around the first. */
export function personaFileBytes(limits: PackLimits): number {
  const DELIMITERS = 16;
  return limits.maxConfigFileBytes + limits.maxPersonaBodyBytes + DELIMITERS;
}

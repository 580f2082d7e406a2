import { SkepError } from "../errors.ts";

/** A place in a text file, both numbers from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A place in a file, as far as it is known. */
export interface At {
  /** Absolute path. */
  readonly file: string;
  readonly place?: Place | undefined;
}

/** Where a field of a server's entry stands, by its path in it, such as `permissions.net[0]`. */
export type ServerAt = (server: string, path: string) => At;

/** Something that is wrong with a pack, or may well be. */
export interface Problem extends At {
  readonly severity: "error" | "warning";
  /** What is wrong, with the value and what was wanted. */
  readonly reason: string;
  /** The skill or server that is left out because of it, such as `skill "x"`; absent: all is refused. */
  readonly part?: string;
  /** The server's name, when it is one that is left out. */
  readonly server?: string;
  readonly cause?: unknown;
}

/**
 * Collects what is wrong, so that a reader can go on to the next thing instead of stopping at the first.
 * Whoever needs the whole to be right calls {@linkcode Problems.throwFirst} at the end.
 */
export class Problems {
  readonly all: Problem[] = [];

  add(problem: Problem): void {
    this.all.push(problem);
  }

  error(
    file: string,
    reason: string,
    more: { place?: Place | undefined; cause?: unknown } = {},
  ): void {
    this.add({ severity: "error", file, reason, ...more });
  }

  warn(file: string, reason: string, place?: Place): void {
    this.add({ severity: "warning", file, reason, place });
  }

  /** Takes over the problems of a part that can be left out. `server` is its name, when it is one. */
  addPart(part: string, { all }: Problems, server?: string): void {
    const of = { part, ...(server === undefined ? {} : { server }) };
    for (const problem of all) {
      this.add(problem.part === undefined ? { ...problem, ...of } : problem);
    }
  }

  /** True when there is an error. */
  get hasErrors(): boolean {
    return this.all.some(({ severity }) => severity === "error");
  }

  /** @throws {SkepError} `PERSONA_INVALID` for the first error, those of parts aside. */
  throwFirst(): void {
    const first = this.all.find(({ severity, part }) => severity === "error" && part === undefined);
    if (first !== undefined) throw personaInvalid(first);
  }
}

/** The error for a problem. */
export function personaInvalid(problem: Problem): SkepError<"PERSONA_INVALID"> {
  const { file, place, reason, cause } = problem;
  const details = { path: file, ...(place === undefined ? {} : { line: place.line }) };
  const message = `Cannot use ${placeText(problem)}: ${reason}`;
  return new SkepError("PERSONA_INVALID", message, details, cause === undefined ? {} : { cause });
}

/** The problem that such an error was made of, or one like it. */
export function problemOf(
  { message, details: { path }, cause }: SkepError<"PERSONA_INVALID">,
): Problem {
  const reason = message.replace(`Cannot use ${path}: `, "");
  return { severity: "error", file: path, reason, cause };
}

/** Where a problem is: `FILE:LINE:COLUMN`, as far as known. */
export function placeText({ file, place }: At): string {
  return place === undefined ? file : `${file}:${place.line}:${place.column}`;
}

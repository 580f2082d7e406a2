import { SkepError } from "../errors.ts";
import { nearest } from "../suggest.ts";
import type { Command, Flag } from "./command.ts";
import { COMMON_FLAGS } from "./commands.ts";

/** A command line, read: its flags by name, and what is no flag, in order. */
export interface Invocation {
  readonly positionals: readonly string[];
  /** The last value given for a flag; undefined when it was not given. */
  value(name: string): string | undefined;
  /** All values given for a flag, in order. */
  values(name: string): readonly string[];
  /** True when a flag without a value was given. */
  has(name: string): boolean;
}

/**
 * Reads the arguments after a command's name.
 *
 * @throws {SkepError} `USAGE` for an unknown flag (with the nearest known one), a flag without its
 * value, or too few or too many positional arguments.
 */
export function readFlags(command: Command, args: readonly string[]): Invocation {
  const flags = [...COMMON_FLAGS, ...command.flags];
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  const words = [...args];
  for (let word; (word = words.shift()) !== undefined;) {
    if (word === "--") positionals.push(...words.splice(0));
    else if (!word.startsWith("-") || word === "-") positionals.push(word);
    else {
      const { name, attached } = splitWord(word);
      const flag = flags.find((each) => name === `--${each.name}` || name === `-${each.short}`);
      if (flag === undefined) throw unknownFlag(command, name, flags);
      const values = [checkValue(flag, name, attached ?? takeValue(flag, words, flags))];
      if (flag.isPair) values.push(checkValue(flag, name, takeValue(flag, words, flags)));
      given.set(flag.name, [...given.get(flag.name) ?? [], ...values]);
    }
  }
  const [least, most] = command.positionals;
  if (!given.has("help") && (positionals.length < least || positionals.length > most)) {
    const bound = least === most ? "" : positionals.length < least ? "at least " : "at most ";
    const wanted = `${bound}${counted(positionals.length < least ? least : most)}`;
    const found = positionals.map((text) => `"${text}"`).join(" ") || "none";
    const message = `skep ${command.name} takes ${wanted}, and was given ${found}`;
    throw usage(`${message}: skep ${command.usage}`);
  }
  return {
    positionals,
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
    has: (name) => given.has(name),
  };
}

function counted(most: number): string {
  return most === 0 ? "no argument" : most === 1 ? "one argument" : `${most} arguments`;
}

/** `--name=value` and `-nvalue` in their parts. */
function splitWord(word: string): { readonly name: string; readonly attached?: string } {
  if (!word.startsWith("--")) {
    return word.length > 2 ? { name: word.slice(0, 2), attached: word.slice(2) } : { name: word };
  }
  const equals = word.indexOf("=");
  return equals === -1
    ? { name: word }
    : { name: word.slice(0, equals), attached: word.slice(equals + 1) };
}

/** The next word, unless that is a flag itself: a value may start with a dash, as a prompt may. */
function takeValue(
  flag: Flag,
  words: string[],
  flags: readonly Flag[],
): string | undefined {
  const isFlag = ({ name, short }: Flag) => words[0] === `--${name}` || words[0] === `-${short}`;
  return flag.value === undefined || flags.some(isFlag) ? undefined : words.shift();
}

function checkValue(flag: Flag, name: string, value: string | undefined): string {
  if (flag.value === undefined && value === undefined) return "";
  if (flag.value === undefined) {
    throw usage(`${name} takes no value, and was given "${value}"`, name);
  }
  if (value === undefined) throw usage(`${name} needs a value: ${name} ${flag.value}`, name);
  return value;
}

function unknownFlag(command: Command, rawName: string, flags: readonly Flag[]): SkepError {
  const near = nearest(rawName.replace(/^-+/, ""), flags.map((flag) => flag.name));
  const hint = near === undefined ? `see skep ${command.name} --help` : `did you mean --${near}?`;
  return usage(`skep ${command.name} has no flag ${rawName}: ${hint}`, rawName);
}

function usage(message: string, argument?: string): SkepError {
  return new SkepError("USAGE", message, argument === undefined ? {} : { argument });
}

import { shellWords, Unreadable, type Word } from "./shell_words.ts";

/** One command that a shell line runs, or may run. */
export interface ShellCommand {
  /** Its words, quotes taken away; none for variables that are set for what follows. */
  readonly words: readonly string[];
  /** The variables that it sets for itself, as `NAME=VALUE`: a program does by them what nobody asked it to. */
  readonly sets: readonly string[];
  /** False: the shell puts something in the place of a part of it, which is not known before. */
  readonly isExact: boolean;
  /** False: it may be no command but an argument of the one that it stands in. */
  readonly isCertain: boolean;
}

/** Programs that run what their arguments say. */
const WRAPPERS = new Set(
  ("env xargs nice nohup timeout time stdbuf setsid ionice chrt taskset sudo doas su command builtin exec " +
    "find fd parallel watch busybox toybox strace ltrace gdb script flock unshare nsenter chroot ssh " +
    "unbuffer rlwrap proxychains caffeinate arch linux32 linux64 setarch runuser systemd-run entr")
    .split(" "),
);
const SHELLS = new Set("sh bash dash zsh ksh ash fish eval".split(" "));
/** Programs that run a text in a language of their own, which is not read here. */
const INTERPRETERS =
  /^(python|perl|ruby|node|deno|bun|php|lua|awk|gawk|mawk|tclsh|osascript|pwsh)[\d.]*$/;
const CODE_OPTION = /^(-[A-Za-z]*[ceEr]|--eval|--exec|--print|eval)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;
/** Names that a program may have been given in its environment; of others it learns by `export` alone. */
const MAY_BE_EXPORTED = /[A-Z]|_proxy$/;
/** Words that stand before a command and are none. */
const BEFORE = new Set("if then else elif while until do ! { time coproc".split(" "));
const ALONE = new Set("fi done } esac".split(" "));
const MAX_DEPTH = 8;

/**
 * Every command that a line of shell runs: of pipelines and lists, inside `$(…)`, and what `env`,
 * `sh -c`, `xargs` and the like run; of those each that it may be. Writing a file by `>` is a command
 * of its own, `> FILE`. Undefined when the line cannot be read
 * with certainty. A convenience, no boundary: a program may run others, and no line tells.
 */
export function shellCommands(line: string): ShellCommand[] | undefined {
  try {
    return commandsOf(line, 0);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** A program's name without its folder. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function commandsOf(line: string, depth: number): ShellCommand[] {
  if (depth > MAX_DEPTH) throw new Unreadable("too deep");
  const { tokens, inner, written } = shellWords(line);
  const commands = inner.flatMap((each) => commandsOf(each, depth + 1));
  for (const { text, isExact } of written) {
    commands.push({ words: [">", text], sets: [], isExact, isCertain: true });
  }
  let words: Word[] = [];
  const end = () => {
    commands.push(...fromWords(words, depth));
    words = [];
  };
  for (const [index, token] of tokens.entries()) {
    if (typeof token !== "string") words.push(token);
    else if (token === ";;") throw new Unreadable("a case");
    else {
      // A parenthesis behind a word defines a function; in front of one it opens a group.
      if (token === "(" && typeof tokens[index - 1] === "object") {
        throw new Unreadable("a function");
      }
      end();
    }
  }
  end();
  return commands;
}

function fromWords(all: readonly Word[], depth: number): ShellCommand[] {
  if (depth > MAX_DEPTH) throw new Unreadable("too deep");
  let words = [...all];
  const sets: Word[] = [];
  for (let word; (word = words[0]) !== undefined; words = words.slice(1)) {
    const { text, bare, isQuoted } = word;
    if (ASSIGNMENT.test(bare)) sets.push(word);
    else if (isQuoted) break;
    else if (text === "for" || text === "select") {
      // Its list is no command.
      return setFor([{ ...word, text: `${words[1]?.text}=`, isExact: false }]);
    } else if (text === "case" || text === "function") throw new Unreadable(text);
    else if (!BEFORE.has(text) && !ALONE.has(text)) break;
  }
  const [first, ...rest] = words;
  if (first === undefined) return setFor(sets);
  if (!first.isExact) throw new Unreadable("a program that only the shell knows");
  const command = {
    words: words.map(({ text }) => text),
    sets: sets.map(({ text }) => text),
    isExact: words.every(({ isExact }) => isExact),
    isCertain: true,
  };
  return [command, ...inside(programName(first.text), rest, depth)];
}

/** Variables that are set for all that follows, where that may concern a program. */
function setFor(words: readonly Word[]): ShellCommand[] {
  const sets = words.filter(({ text }) => MAY_BE_EXPORTED.test(ASSIGNMENT.exec(text)?.[1] ?? ""));
  if (sets.length === 0) return [];
  const isExact = sets.every((each) => each.isExact);
  return [{ words: [], sets: sets.map(({ text }) => text), isExact, isCertain: true }];
}

/** What a program runs that runs what its arguments say. */
function inside(program: string, args: readonly Word[], depth: number): ShellCommand[] {
  if (SHELLS.has(program)) return ofShell(program, args, depth);
  if (INTERPRETERS.test(program) && args.some(({ text }) => CODE_OPTION.test(text))) {
    throw new Unreadable("code of another language");
  }
  if (/^[gm]?awk$/.test(program)) throw new Unreadable("code of another language");
  if (!WRAPPERS.has(program)) return [];
  const place = args.findIndex(({ text }) => !/^(-.*|[A-Za-z_]\w*=.*|[\d.]+[smhd]?)$/.test(text));
  return args.flatMap((word, index): ShellCommand[] => {
    if (word.text.includes(" ")) return commandsOf(word.text, depth + 1);
    if (index < place) return [];
    const from = args.slice(index);
    if (index === place) return fromWords(from.map(asWritten), depth + 1);
    // Which of the further words is the program, only the wrapper's own options would tell.
    const isExact = from.every((each) => each.isExact);
    return [{ words: from.map(({ text }) => text), sets: [], isExact, isCertain: false }];
  });
}

/** A word that is no keyword and no assignment any more. */
function asWritten(word: Word): Word {
  return { ...word, isQuoted: true, bare: "" };
}

function ofShell(program: string, args: readonly Word[], depth: number): ShellCommand[] {
  if (args.some(({ isExact }) => !isExact)) {
    throw new Unreadable("a script that only the shell knows");
  }
  if (program === "eval") return commandsOf(args.map(({ text }) => text).join(" "), depth + 1);
  const option = args.findIndex(({ text }) => /^-[A-Za-z]*c$/.test(text));
  if (option >= 0) return commandsOf(args[option + 1]?.text ?? "", depth + 1);
  // Without a file of commands it reads them from its input.
  if (args.every(({ text }) => text.startsWith("-"))) {
    throw new Unreadable("commands from the input");
  }
  return [];
}

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
    "find fd fdfind parallel watch busybox toybox strace ltrace gdb script flock unshare nsenter chroot ssh " +
    "unbuffer rlwrap proxychains proxychains4 caffeinate arch linux32 linux64 setarch runuser systemd-run " +
    "entr prlimit setpriv fakeroot fakechroot pkexec run0 choom numactl cgexec valgrind perf hyperfine " +
    "torsocks tsocks firejail bwrap systemd-inhibit dbus-run-session xvfb-run screen tmux setuidgid envdir " +
    "softlimit chpst runcon sg newgrp capsh ip eatmydata faketime mapfile readarray trickle uidmap tini " +
    "dumb-init gosu su-exec chronic ts retry start-stop-daemon daemonize expect catchsegv xterm x11docker")
    .split(" "),
);
/** Those of them whose first word that is no option is the program. */
const PROGRAM_FIRST = new Set(
  "env nice nohup timeout time stdbuf setsid command builtin exec xargs sudo doas ionice".split(
    " ",
  ),
);
const NO_WORD_FOLLOWS = /^(--|--[\w-]+=.*|-[A-Za-z]\d+|[A-Za-z_]\w*=.*|[\d.]+[smhd]?)$/;
const SHELLS = new Set("sh bash dash zsh ksh mksh ash fish rbash".split(" "));
/** Options of a shell that take a word of their own. */
const SHELL_FILES = ["--rcfile", "--init-file"];
/** Options of a shell that say nothing of what it runs. */
const PLAIN_SHELL_OPTIONS =
  /^--(login|norc|noprofile|posix|verbose|restricted|noediting|help|version)$/;
/** What runs texts as commands later, takes them from elsewhere, or lets a word stand for another program. */
const UNREADABLE = new Set("alias at batch bind complete compgen coproc enable hash".split(" "));
/** What reads its words as arithmetic or names, in which a substitution runs, quoted or not. */
const EVALUATES = new Set(
  "let test [ [[ printf read declare typeset local export readonly unset wait mapfile readarray"
    .split(" "),
);
/** Programs that run a text in a language of their own, which is not read here. */
const INTERPRETERS =
  /^(python|perl|ruby|node|deno|bun|php|lua|awk|gawk|mawk|tclsh|osascript|pwsh)[\d.]*$/;
const CODE_OPTION = /^(-[A-Za-z]*[ceEr]|--eval|--exec|--print|eval)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;
/** Names that a program may have been given in its environment; of others it learns by `export` alone. */
const MAY_BE_EXPORTED = /[A-Z]|_proxy$/;
/** Words that stand before a command and are none. */
const BEFORE = new Set("if then else elif while until do ! {".split(" "));
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
    else if (text === "time") {
      const place = words.findIndex((each, index) => index > 0 && !/^(-p|--)$/.test(each.text));
      if (words[place]?.text.startsWith("-")) break; // the program of that name
      words = words.slice((place === -1 ? words.length : place) - 1);
    } else if (text === "for" || text === "select") {
      // Its list is no command; without one its body may follow at once.
      if (words[2]?.text === "do" || words[2]?.text === "{") throw new Unreadable("a short loop");
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
  if (SHELLS.has(program)) return ofShell(args, depth);
  if (INTERPRETERS.test(program) && args.some(({ text }) => CODE_OPTION.test(text))) {
    throw new Unreadable("code of another language");
  }
  if (/^[gm]?awk$/.test(program)) throw new Unreadable("code of another language");
  if (UNREADABLE.has(program) && args.length > 0) throw new Unreadable(program);
  if (EVALUATES.has(program) && args.some(holdsSubstitution)) throw new Unreadable(program);
  switch (program) {
    case "eval":
      return ofText(args, depth);
    case "trap":
      return ofText(args.filter(({ text }) => text !== "--").slice(0, 1), depth);
    case ".":
    case "source":
      if (args.slice(0, 1).some(isNoFile)) throw new Unreadable("commands from elsewhere");
      return [];
    case "env":
      return [...ofSplitString(args, depth), ...ofWrapper(program, args, depth)];
    case "find":
      return ofFind(args, depth);
    case "xargs":
      return ofWrapper(program, [...args, FROM_INPUT], depth);
    case "parallel":
      if (args.every(({ text }) => text.startsWith("-"))) {
        throw new Unreadable("commands from the input");
      }
      return ofWrapper(program, [...args, FROM_INPUT], depth);
    default:
      return WRAPPERS.has(program) ? ofWrapper(program, args, depth) : [];
  }
}

/** The arguments that a wrapper adds, which no line tells. */
const FROM_INPUT: Word = { text: "$(…)", isExact: false, isQuoted: true, bare: "" };

/** A text that the shell does not run now, and the command that it is for will. */
function holdsSubstitution({ text }: Word): boolean {
  return /\$\(|`/.test(text.replaceAll("$(…)", ""));
}

/** What a shell would read commands from that is no file of the workspace. */
function isNoFile({ text, isExact }: Word): boolean {
  return !isExact || text === "-" || /^\/(dev|proc)\//.test(text);
}

function ofText(words: readonly Word[], depth: number): ShellCommand[] {
  if (words.some(({ isExact }) => !isExact)) {
    throw new Unreadable("a script that only the shell knows");
  }
  return commandsOf(words.map(({ text }) => text).join(" "), depth + 1);
}

const GLUED = /^(?:-[A-Za-z]*?c|--(?:session-)?command=|--[\w-]+=(?=.* ))([^\d].*)$/s;

function ofWrapper(program: string, args: readonly Word[], depth: number): ShellCommand[] {
  const place = args.findIndex(({ text }) => !/^(-.*|[A-Za-z_]\w*=.*|[\d.]+[smhd]?)$/.test(text));
  const isSure = PROGRAM_FIRST.has(program) &&
    args.slice(0, Math.max(place, 0)).every(({ text }) => NO_WORD_FOLLOWS.test(text));
  return args.flatMap((word, index): ShellCommand[] => {
    // A command in one word, which may stand right behind the option that takes it.
    const [, glued] = GLUED.exec(word.text) ?? [];
    if (glued !== undefined) return ofText([{ ...word, text: glued }], depth);
    if (word.text.includes(" ")) return commandsOf(word.text, depth + 1);
    if (index < place || place === -1) return [];
    const from = args.slice(index);
    if (index === place) return fromWords(from.map(asWritten), depth + 1);
    if (isSure || word.text.startsWith("-")) return [];
    // Which of the further words is the program, only the wrapper's own options would tell.
    const isExact = from.every((each) => each.isExact);
    return [{ words: from.map(({ text }) => text), sets: [], isExact, isCertain: false }];
  });
}

/** `env -S`, `-vS`, `--split-string`: the rest is one line, in a language almost that of a shell. */
function ofSplitString(args: readonly Word[], depth: number): ShellCommand[] {
  const at = args.findIndex(({ text }) => /^(-[A-Za-z]*S|--s[a-z-]*(=|$))/.test(text));
  const [option, ...rest] = args.slice(Math.max(at, 0));
  if (at === -1 || option === undefined) return [];
  const text = option.text.replace(/^(-[A-Za-z]*?S|--s[a-z-]*=?)/, "");
  const line = [{ ...option, text }, ...rest];
  if (line.some((word) => /[\\$]/.test(word.text))) throw new Unreadable("a text that env splits");
  return fromWords(line.flatMap(split).map(asWritten), depth + 1);
}

function split(word: Word): Word[] {
  return word.text.split(/\s+/).filter((text) => text !== "").map((text) => ({ ...word, text }));
}

function ofFind(args: readonly Word[], depth: number): ShellCommand[] {
  // What is not quoted may come to any words, an -exec among them.
  if (args.some(({ text, isExact, isQuoted }) => !isExact && !isQuoted && text.includes("$"))) {
    throw new Unreadable("words that only the shell knows");
  }
  return args.flatMap(({ text }, index) => {
    if (!/^-(exec|ok)(dir)?$/.test(text)) return [];
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    return fromWords(rest.slice(0, end === -1 ? rest.length : end).map(asWritten), depth + 1);
  });
}

/** A word that is no keyword and no assignment any more. */
function asWritten(word: Word): Word {
  return { ...word, isQuoted: true, bare: "" };
}

function ofShell(args: readonly Word[], depth: number): ShellCommand[] {
  let at = 0;
  let isText = false;
  let isInput = false;
  for (; /^[-+]/.test(args[at]?.text ?? ""); at++) {
    const { text } = args[at]!;
    if (text === "-" || text === "--") {
      at++;
      break;
    }
    if (SHELL_FILES.includes(text)) at++;
    else if (text.startsWith("--")) {
      if (!PLAIN_SHELL_OPTIONS.test(text)) throw new Unreadable("an option that is not known");
    } else {
      isText ||= /^-.*c/.test(text);
      isInput ||= /^-.*s/.test(text);
      at += text.replaceAll(/[^oO]/g, "").length; // the name of an option follows
    }
  }
  // Of what follows the script its own words speak: $1 and the like, which are not exact.
  if (args.slice(0, at + 1).some(({ isExact }) => !isExact)) {
    throw new Unreadable("a script that only the shell knows");
  }
  const script = args[at];
  if (isText && script !== undefined) return ofText([script], depth);
  // Without a file of commands it reads them from its input.
  if (script === undefined || isInput || isNoFile(script)) {
    throw new Unreadable("commands from the input");
  }
  return [];
}

/** A `deno run …` line taken apart. */
export interface DenoRun {
  /** The file or specifier that is run; undefined when the line runs none. */
  readonly target: string | undefined;
  /** What stands after the target. */
  readonly args: readonly string[];
  /** Flags that stood before it and change what the program may do or load. */
  readonly dropped: readonly string[];
}

/** Flags whose value may be the next word. */
const TAKES_WORD =
  /^(-c|--config|--import-map|--lock|--cert|--ext|--location|--preload|--import|--require|--min-dep-age|--node-modules-linker)$/;
/** Flags that skep passes itself, or that say nothing about what the program may do. */
const NO_LOSS =
  /^(--no-prompt|--no-config|--no-lock|--no-remote|--cached-only|-q|--quiet|--no-check|--frozen)(=|$)/;
const OTHER_COMMANDS = /^(task|serve|test|eval|repl|compile|x|bench|install|cache|jupyter|bundle)$/;

/**
 * Takes the arguments of a `deno` program apart: `run [flags] TARGET ARGS`, `run` itself optional as
 * Deno has it. skep builds every flag by itself, so none of these is taken.
 */
export function denoRunTarget(words: readonly string[]): DenoRun {
  const rest = words[0] === "run" ? words.slice(1) : [...words];
  const dropped: string[] = [];
  while (rest[0]?.startsWith("-") && rest[0] !== "-") {
    const flag = rest.shift() ?? "";
    if (flag === "--") break;
    const value = TAKES_WORD.test(flag) ? rest.shift() : undefined;
    if (!NO_LOSS.test(flag)) dropped.push(value === undefined ? flag : `${flag} ${value}`);
  }
  const [target, ...args] = rest;
  const isRun = target !== undefined && target !== "-" &&
    (words[0] === "run" || !OTHER_COMMANDS.test(target));
  return { target: isRun ? target : undefined, args, dropped };
}

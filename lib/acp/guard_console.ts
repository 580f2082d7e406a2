/** The methods of `console` that print to stdout. */
const PRINTING = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "count",
  "timeLog",
  "timeEnd",
  "clear",
] as const;

/**
 * Sends all that `console` prints to stderr, for as long as stdout carries a protocol: a dependency
 * that prints a banner must not break the client. Tables and counters lose their form on the way,
 * `clear` does nothing. Disposing brings the old console back.
 */
export function guardConsole(): Disposable {
  const target = globalThis.console;
  const before = new Map(PRINTING.map((name) => [name, target[name]]));
  const toStderr = target.error.bind(target);
  for (const name of PRINTING) target[name] = name === "clear" ? () => {} : toStderr;
  return {
    [Symbol.dispose](): void {
      for (const [name, method] of before) target[name] = method;
    },
  };
}

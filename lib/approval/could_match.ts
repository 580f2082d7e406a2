/**
 * Tells whether there is a text that two patterns both stand for; `*` in either is any characters. A rule whose
 * pattern shares none with the tools there can be speaks of no call.
 */
export function couldMatch(first: string, second: string): boolean {
  // Positions in `second` at which it can be when all of `first` so far is read.
  let reached = closure(new Set([0]), second);
  for (const letter of first) {
    const next = new Set<number>();
    for (const at of reached) {
      if (letter === "*") { for (let to = at; to <= second.length; to++) next.add(to); }
      else if (second[at] === "*") next.add(at);
      else if (second[at] === letter) next.add(at + 1);
    }
    reached = closure(next, second);
  }
  return reached.has(second.length);
}

/** With what is reached by letting a `*` stand for nothing. */
function closure(reached: ReadonlySet<number>, pattern: string): Set<number> {
  const all = new Set(reached);
  for (const at of all) if (pattern[at] === "*") all.add(at + 1);
  return all;
}

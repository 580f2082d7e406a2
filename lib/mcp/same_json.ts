/** Tells whether two values of parsed JSON say the same; the order of an object's keys says nothing. */
export function isSameJson(one: unknown, other: unknown): boolean {
  // A stack of its own: what a server sends may be nested deeper than calls can be.
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair; (pair = pairs.pop()) !== undefined;) {
    const [left, right] = pair;
    if (left === right) continue;
    if (!isComposite(left) || !isComposite(right)) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false;
      pairs.push([left[key], right[key]]);
    }
  }
  return true;
}

function isComposite(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

import { mapParts, partsOf, resolveRef, type Schema } from "./schema_parts.ts";

/** How often a definition is put into itself before it ends as any value. */
const MOST_REPEATS = 2;
/** How many references may lead to one place: each takes some of the stack. */
const MOST_STEPS = 64;

/**
 * Puts what references name in their place, and leaves the definitions out. One that holds itself is
 * put in a few times; past that, and once `maxParts` schemas are made, only its `type` is (T45).
 */
export function inlineRefs(root: Schema, maxParts: number): Schema {
  let parts = 0;
  const inline = (schema: Schema, path: readonly string[]): Schema => {
    parts++;
    const { $ref, ...own } = schema;
    if (typeof $ref === "string") {
      const target = resolveRef(root, $ref);
      if (target === undefined) return inline(own, path);
      const repeats = path.filter((each) => each === $ref).length;
      const isOver = parts > maxParts || path.length >= MOST_STEPS;
      if (repeats >= MOST_REPEATS || isOver) return { ...typeOf(target), ...own };
      return { ...inline(target, [...path, $ref]), ...inline(own, path) };
    }
    return mapParts(own, (part, keyword) => {
      if (keyword === "$defs" || keyword === "definitions") return undefined;
      return parts > maxParts ? typeOf(part) : inline(part, path);
    });
  };
  const { $defs: _, definitions: __, ...rest } = inline(root, []);
  return rest;
}

/**
 * Tells whether putting references in their place would make more than `most` schemas of it: a few
 * definitions, each of which names the next one twice, are a thousand with ten of them.
 */
export function expandsPast(root: Schema, most: number): boolean {
  const sizes = new Map<Schema, number>();
  const sizeOf = (schema: Schema, steps = 0): number => {
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    if (steps > MOST_STEPS) return most + 1;
    sizes.set(schema, 1); // what holds itself counts once more
    const target = resolveRef(root, schema.$ref);
    let size = target === undefined ? 1 : 1 + sizeOf(target, steps + 1);
    for (const part of partsOf(schema)) size = Math.min(size + sizeOf(part, steps), most + 1);
    sizes.set(schema, size);
    return size;
  };
  return sizeOf(root) > most;
}

/** References that name nothing, or another document, are left out: a provider may refuse them all. */
export function withoutDeadRefs(root: Schema): Schema {
  const clean = (schema: Schema): Schema => {
    const { $ref, ...rest } = schema;
    const isDead = $ref !== undefined && resolveRef(root, $ref) === undefined;
    return mapParts(isDead ? rest : schema, clean);
  };
  return clean(root);
}

function typeOf({ type }: Schema): Schema {
  return type === undefined ? {} : { type };
}

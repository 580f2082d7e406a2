import { isObject } from "./message.ts";
import { mapParts, partsOf, resolveRef, type Schema } from "./schema_parts.ts";

/** A copy of a schema that arguments can be checked against, whoever wrote it. */
export interface CheckableSchema {
  readonly schema: Schema;
  /** The keywords that are not checked. */
  readonly unchecked: readonly string[];
}

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

const isNumber = (value: unknown) => typeof value === "number";
const isSchema = (value: unknown) => isObject(value) || typeof value === "boolean";
const isSchemaList = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(isSchema);
const areSchemas = (value: unknown) => isObject(value) && Object.values(value).every(isSchema);
const areTexts = (value: unknown) =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** What is checked, and what its value must be so that it can be. */
const CHECKED: Readonly<Record<string, (value: unknown) => boolean>> = {
  $defs: areSchemas,
  $ref: (value) => typeof value === "string",
  additionalItems: isSchema,
  additionalProperties: isSchema,
  allOf: isSchemaList,
  anyOf: isSchemaList,
  const: () => true,
  contains: isSchema,
  definitions: areSchemas,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(areTexts),
  dependentSchemas: areSchemas,
  dependencies: (value) =>
    isObject(value) && Object.values(value).every((each) => areTexts(each) || isSchema(each)),
  else: isSchema,
  enum: Array.isArray,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  if: isSchema,
  items: (value) => isSchema(value) || isSchemaList(value),
  maxContains: isNumber,
  maxItems: isNumber,
  maxLength: isNumber,
  maxProperties: isNumber,
  maximum: isNumber,
  minContains: isNumber,
  minItems: isNumber,
  minLength: isNumber,
  minProperties: isNumber,
  minimum: isNumber,
  multipleOf: isNumber,
  not: isSchema,
  oneOf: isSchemaList,
  prefixItems: isSchemaList,
  properties: areSchemas,
  propertyNames: isSchema,
  required: areTexts,
  then: isSchema,
  type: (value) =>
    TYPES.includes(value as string) || (areTexts(value) && (value as string[]).length > 0 &&
      (value as string[]).every((each) => TYPES.includes(each))),
};

/** What says something about a value and is not checked. All other keywords say nothing about it. */
const NOT_CHECKED = new Set([
  ...["$dynamicRef", "$recursiveRef", "format", "pattern", "patternProperties"],
  ...["unevaluatedItems", "unevaluatedProperties", "uniqueItems", "x-skep-unchecked"],
]);

/**
 * Copies a schema without what must not be run or cannot be: `pattern` and `patternProperties`, since a
 * server's regular expression can hold the whole program up for minutes; references to other documents;
 * `uniqueItems`, which takes the square of a list's length; keywords with a value that is none of
 * theirs. The copy never refuses what the schema allows: where something is left out, so is what
 * would turn that into a refusal.
 */
export function checkableSchema(root: Schema): CheckableSchema {
  const unchecked = new Set<string>();
  const clean = (schema: Schema): Schema => {
    const kept = Object.entries(schema).filter(([keyword, value]) => {
      const isKept = Object.hasOwn(CHECKED, keyword) && CHECKED[keyword]!(value);
      const isDead = keyword === "$ref" && resolveRef(root, value) === undefined;
      const saysSomething = Object.hasOwn(CHECKED, keyword) || NOT_CHECKED.has(keyword);
      if ((!isKept || isDead) && saysSomething) unchecked.add(keyword);
      return isKept && !isDead;
    });
    const { additionalProperties, ...rest } = Object.fromEntries(kept);
    const hasOthers = "patternProperties" in schema;
    const own = additionalProperties === undefined || hasOthers
      ? rest
      : { ...rest, additionalProperties };
    return mapParts(own, clean);
  };
  const schema = clean(root);
  return { schema: unchecked.size === 0 ? schema : weaker(schema), unchecked: [...unchecked] };
}

/** Without what refuses a value because a schema allows it: that schema may allow more than it should. */
function weaker({ not: _, if: __, then: ___, else: ____, oneOf, ...rest }: Schema): Schema {
  const { maxContains: _____, ...others } = rest;
  const alternatives = Array.isArray(oneOf)
    ? others.anyOf === undefined
      ? { anyOf: oneOf }
      : { allOf: [...(Array.isArray(others.allOf) ? others.allOf : []), { anyOf: oneOf }] }
    : {};
  return mapParts({ ...others, ...alternatives }, weaker);
}

/** Calls `spend` whenever a check looks at the schema or one inside it. The schema is changed in its place. */
export function counted(schema: Schema, spend: () => void): Schema {
  for (const part of [schema, ...partsOf(schema)]) {
    if (part !== schema) counted(part, spend);
    else Object.defineProperty(part, "$recursiveAnchor", { get: spend, enumerable: false });
  }
  return schema;
}

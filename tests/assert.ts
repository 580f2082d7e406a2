// The part of @std/assert that the tests use, over node:assert, so that a checkout tests from npm alone.
// Moving to JSR replaces the line of deno.json that points here.
import assertion from "node:assert/strict";

/** Fails unless `condition` is true. */
export function assert(condition: unknown, message?: string): asserts condition {
  assertion.ok(condition, message);
}

/** Fails unless both values are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  assertion.deepStrictEqual(actual, expected, message);
}

/** Fails if both values are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  assertion.notDeepStrictEqual(actual, expected, message);
}

/** Fails unless `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  assertion.ok(
    actual.includes(expected),
    message ?? `${JSON.stringify(actual)} does not contain ${JSON.stringify(expected)}`,
  );
}

/** Fails unless `actual` matches `pattern`. */
export function assertMatch(actual: string, pattern: RegExp, message?: string): void {
  assertion.match(actual, pattern, message);
}

/** Fails unless `run` throws an `ErrorClass` whose message contains `text`; returns what was thrown. */
export function assertThrows<E extends Error = Error>(
  run: () => unknown,
  // deno-lint-ignore no-explicit-any -- a class is known by its constructor, whatever its arguments
  ErrorClass?: new (...args: any[]) => E,
  text?: string,
): E {
  try {
    run();
  } catch (thrown) {
    return checked(thrown, ErrorClass, text);
  }
  throw new assertion.AssertionError({ message: "Expected the function to throw" });
}

/** Fails unless `run` rejects with an `ErrorClass` whose message contains `text`; returns what was thrown. */
export async function assertRejects<E extends Error = Error>(
  run: () => PromiseLike<unknown>,
  // deno-lint-ignore no-explicit-any -- as above
  ErrorClass?: new (...args: any[]) => E,
  text?: string,
): Promise<E> {
  try {
    await run();
  } catch (thrown) {
    return checked(thrown, ErrorClass, text);
  }
  throw new assertion.AssertionError({ message: "Expected the promise to reject" });
}

function checked<E extends Error>(
  thrown: unknown,
  // deno-lint-ignore no-explicit-any -- as above
  ErrorClass?: new (...args: any[]) => E,
  text?: string,
): E {
  if (ErrorClass !== undefined) {
    assertion.ok(thrown instanceof ErrorClass, `Expected ${ErrorClass.name}, got ${thrown}`);
  }
  if (text !== undefined) assertStringIncludes((thrown as Error).message, text);
  return thrown as E;
}

/** A writer that alone reaches stdout, until it is disposed of. */
export interface OwnStdout extends Disposable {
  /** Writes bytes, whole, waiting until they are taken. @throws when nobody reads any more. */
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Keeps stdout for one protocol: what else is written through `Deno.stdout`, or through Node's
 * `process.stdout`, which writes there, comes out on stderr. `console` has ways of its own, and
 * `fs.writeSync(1, …)` cannot be told from a file's.
 */
export function ownStdout(): OwnStdout {
  const { stdout, stderr } = Deno;
  const write = stdout.write.bind(stdout);
  Object.defineProperties(stdout, {
    write: { value: (bytes: Uint8Array) => stderr.write(bytes), configurable: true },
    writeSync: { value: (bytes: Uint8Array) => stderr.writeSync(bytes), configurable: true },
    writable: { get: () => stderr.writable, configurable: true },
  });
  return {
    write: async (bytes) => {
      for (let written = 0; written < bytes.length;) {
        written += await write(bytes.subarray(written));
      }
    },
    [Symbol.dispose]: () => {
      // What was defined stands before the prototype's own.
      for (const name of ["write", "writeSync", "writable"]) Reflect.deleteProperty(stdout, name);
    },
  };
}

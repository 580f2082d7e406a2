/** One package of a lock file. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** It wants to run a build script when it is installed, which Deno does not do. */
  readonly hasScripts: boolean;
}

/** What a lock file of Deno says of packages. */
export interface NpmLock {
  /** Specifier as asked for (`npm:name@range`) to the version it stands for. */
  readonly versions: ReadonlyMap<string, string>;
  readonly packages: readonly LockedPackage[];
}

/**
 * Reads the npm part of a lock file, version 5: keys are `name@version`, followed by `_` and the
 * versions of peers.
 *
 * @throws {SyntaxError} when it is not JSON; `TypeError` when it is no such lock file.
 */
export function parseNpmLock(text: string): NpmLock {
  const { version, specifiers, npm } = record(JSON.parse(text));
  if (version !== "5") {
    throw new TypeError(`Cannot read a lock file of version ${version}: 5 is known`);
  }
  const versions = Object.entries(record(specifiers ?? {}))
    .map(([specifier, locked]): [string, string] => [specifier, withoutPeers(String(locked))]);
  const packages = Object.entries(record(npm ?? {})).map(([key, facts]): LockedPackage => {
    const at = key.indexOf("@", 1);
    if (at === -1) throw new TypeError(`Cannot read the package "${key}" of a lock file`);
    return {
      name: key.slice(0, at),
      version: withoutPeers(key.slice(at + 1)),
      hasScripts: record(facts).scripts === true,
    };
  });
  return { versions: new Map(versions), packages };
}

function withoutPeers(version: string): string {
  return version.split("_", 1)[0] ?? version;
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new TypeError("Cannot read a lock file: an object was expected");
}

/** One access that Deno recorded: of what kind, and to what. */
export interface Access {
  readonly access: "read" | "write" | "net" | "env" | "sys" | "run" | "ffi" | "import";
  /** As the server named it; `*` for everything. */
  readonly value: string;
  /** When, as ISO 8601 in UTC. */
  readonly at: string;
}

const KINDS: readonly string[] = ["read", "write", "net", "env", "sys", "run", "ffi", "import"];

/**
 * Reads a line of the file that `DENO_AUDIT_PERMISSIONS` names; undefined for anything else. Deno 2.9 records
 * each check of a permission, refused or not, and no program that is started; with an unscoped
 * `--allow-read` or `--allow-write` it records a read and a write for either.
 */
export function parseAccess(line: string): Access | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined; // cut off, or a server's own words
  }
  if (typeof entry !== "object" || entry === null) return undefined;
  const { v, permission, value, datetime } = entry as Record<string, unknown>;
  if (v !== 1 || typeof permission !== "string" || typeof datetime !== "string") return undefined;
  if (!KINDS.includes(permission)) return undefined;
  if (value !== null && typeof value !== "string") return undefined;
  return { access: permission as Access["access"], value: value ?? "*", at: datetime };
}

/** A network access as `host:port` or `unix:/path`: Deno records the address of a `fetch` whole. */
export function netPlace(value: string): string {
  if (value.startsWith("unix:")) return value;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  try {
    const { hostname, port, protocol } = new URL(value);
    const known: Readonly<Record<string, string>> = { "https:": "443", "wss:": "443" };
    return `${hostname}:${port || (known[protocol] ?? "80")}`;
  } catch {
    return value;
  }
}

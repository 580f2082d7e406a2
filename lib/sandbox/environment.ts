import { certificateValues, DENO_CERTIFICATES } from "./certificates.ts";
import type { GrantInput } from "./compute_grant.ts";
import type { LaunchContext } from "./context.ts";
import { checkVariableName } from "./entries.ts";
import type { Cut, Entry, SecretEntry } from "./grant.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { keyReason } from "./keys.ts";
import { narrow, sameName } from "./narrow.ts";
import { basePath } from "./programs.ts";
import { resolveSecrets } from "./secrets.ts";

/** What passes from the runtime's environment to every server, and why. Nothing else does. */
export const PASSED_VARIABLES: Readonly<Record<string, string>> = {
  PATH: "where programs lie",
  TERM: "how to draw on a terminal",
  LANG: "language of messages, and encoding",
  LC_ALL: "language of messages, and encoding",
  LC_CTYPE: "encoding of text",
  LC_MESSAGES: "language of messages",
  TZ: "time zone",
  SKEP_SHELL: "the shell of the dev server",
  HTTP_PROXY: "the way out to the network",
  HTTPS_PROXY: "the way out to the network",
  ALL_PROXY: "the way out to the network",
  NO_PROXY: "hosts that need no proxy",
  http_proxy: "the way out to the network",
  https_proxy: "the way out to the network",
  all_proxy: "the way out to the network",
  no_proxy: "hosts that need no proxy",
  SSL_CERT_FILE: "certificates to trust",
  SSL_CERT_DIR: "certificates to trust",
  NODE_EXTRA_CA_CERTS: "certificates to trust",
};

/** What passes on Windows besides, since programs do not start without. */
export const PASSED_ON_WINDOWS: Readonly<Record<string, string>> = {
  SystemRoot: "where Windows lies",
  SystemDrive: "where Windows lies",
  windir: "where Windows lies",
  ComSpec: "the command interpreter",
  PATHEXT: "endings of programs",
};

/** What every server gets that is not the runtime's, and why. */
export const SET_VARIABLES: Readonly<Record<string, string>> = {
  HOME: "a private home folder",
  TMPDIR: "a private temporary folder",
  NO_COLOR: "plain text on stderr",
};

/** The same of Windows, under the names that programs read there. */
export const SET_ON_WINDOWS: Readonly<Record<string, string>> = {
  USERPROFILE: "a private home folder",
  APPDATA: "a private home folder",
  LOCALAPPDATA: "a private home folder",
  TEMP: "a private temporary folder",
  TMP: "a private temporary folder",
};

/** What Deno itself reads at the start of a server; the server's code does not see it. */
export const DENO_VARIABLES: Readonly<Record<string, string>> = {
  DENO_DIR: "Deno's cache, which a private home would move",
  DENO_NO_PACKAGE_JSON: "the workspace's package.json is not Deno's business",
  DENO_NO_UPDATE_CHECK: "no question to the network at start",
  ...DENO_CERTIFICATES,
};

/** What a server gets that reaches the network through skep's proxy, beside the names of that. */
export const PROXIED_VARIABLES: Readonly<Record<string, string>> = {
  NODE_USE_ENV_PROXY: "makes Node take the way out to the network",
};

/** The origin of the names above in a grant. */
export const BASE_ORIGIN = "base environment";

/** The origin of a key of the identity that passes all the same. */
export const PASSED_KEYS_ORIGIN = "SKEP_PASS_KEYS";

/** Every name above with its reason, for the audit. */
export const BASE_VARIABLES: Readonly<Record<string, string>> = {
  ...PASSED_VARIABLES,
  ...PASSED_ON_WINDOWS,
  ...SET_VARIABLES,
  ...SET_ON_WINDOWS,
  ...DENO_VARIABLES,
  ...PROXIED_VARIABLES,
};

/** Names that would load code into Deno, or change its permissions: not even a spec may set them there. */
const STEERS_DENO =
  /^(DENO_.*|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|LD_.*|DYLD_.*|SSLKEYLOGFILE)$/;

/** A server's environment, and what the grant says of it. */
export interface Environment {
  /** Name to value, complete. */
  readonly values: Readonly<Record<string, string>>;
  /** Names that the server may see. */
  readonly names: readonly Entry[];
  /** Names whose value is a secret that the spec gave a source for. */
  readonly secrets: readonly SecretEntry[];
  readonly cut: readonly Cut[];
}

/** What an environment is made from. */
export type EnvironmentInput = Pick<
  GrantInput,
  "spec" | "kind" | "asked" | "places" | "rules" | "bounds"
>;

/**
 * Makes a server's environment: the short list that passes, private folders, what the spec's `env` sets
 * (exactly), and its secrets. A key of the identity or a model never passes: it is cut. The one exception
 * is a spec's `passedKeys`.
 *
 * @param writable Folders that the server may write: PATH does not lead there.
 * @throws {SkepError} `GRANT_INVALID` for a name that is none, or a secret whose source holds nothing.
 */
export async function makeEnvironment(
  { spec, kind, asked, places, rules, bounds }: EnvironmentInput,
  context: Pick<LaunchContext, "host" | "limits" | "modelKeys">,
  writable: readonly string[],
): Promise<Environment> {
  const { host, modelKeys } = context;
  const server = spec.name;
  const cut: Cut[] = [];
  const isPassing = (list: Cut["list"], name: string, value: string | undefined): boolean => {
    const isSteering = kind !== "native" && STEERS_DENO.test(name.toUpperCase());
    const reason = isSteering
      ? "it would change what Deno loads or allows"
      : keyReason(name, value, host.env, modelKeys?.variables);
    if (reason !== undefined) cut.push({ list, value: name, reason });
    return reason === undefined;
  };

  const isPassedKey = (name: string) => spec.passedKeys?.includes(name) === true;
  const base = Object.entries(baseValues(host, places, writable))
    .filter(([name, value]) => isPassing("env", name, value));
  for (const name of [...Object.keys(spec.env), ...asked.env.map(({ value }) => value)]) {
    checkVariableName(name, { server, entry: "env" });
  }
  const ceilings = bounds.map(({ env, origin }) => ({ origin, allowed: env }));
  const asEntries = (names: readonly string[]) =>
    names.map((value) => ({ value, origin: `${asked.origin}, env` }));
  const mine = narrow("env", asEntries(Object.keys(spec.env)), ceilings, sameName);
  const wanted = narrow(
    "env",
    asked.env.filter(({ value }) => !Object.hasOwn(spec.env, value)),
    ceilings,
    sameName,
  );
  cut.push(...mine.cut, ...wanted.cut);
  const own = mine.entries.map(({ value: name }) => [name, spec.env[name] ?? ""] as const)
    .filter(([name, value]) => {
      if (!value.includes("\0")) {
        return isPassedKey(name) || isPassing("env", name, value);
      }
      throw grantInvalid({ server, entry: `env.${name}` }, "(not shown)", "it holds a NUL");
    });
  const named = wanted.entries.filter(({ value: name }) => isPassing("env", name, undefined));
  const found = await resolveSecrets(asked.secrets, server, context, rules, bounds);
  cut.push(...found.cut);
  const secrets = found.secrets.filter(({ name, value }) => isPassing("secrets", name, value));

  return {
    values: {
      ...Object.fromEntries(base),
      ...(kind === "native" ? {} : denoValues(places.denoDir)),
      ...(kind === "native" ? {} : await certificateValues(context)),
      ...Object.fromEntries(own),
      ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
    },
    names: distinct([
      ...baseNames(host).filter((name) => !Object.hasOwn(spec.env, name))
        .map((value) => ({ value, origin: BASE_ORIGIN })),
      ...asEntries(own.map(([name]) => name).filter((name) => !isPassedKey(name))),
      ...own.filter(([name]) => isPassedKey(name))
        .map(([value]) => ({ value, origin: PASSED_KEYS_ORIGIN })),
      ...named,
      ...secrets.map(({ name, origin }) => ({ value: name, origin })),
    ]),
    secrets: secrets.map(({ name, origin, from }) => ({ value: name, origin, from })),
    cut,
  };
}

/** Names of the base environment, whether they are set here or not: a grant is the same on every machine. */
export function baseNames(host: Pick<LaunchContext["host"], "platform">): string[] {
  const isWindows = host.platform.os === "windows";
  return [
    PASSED_VARIABLES,
    SET_VARIABLES,
    ...(isWindows ? [PASSED_ON_WINDOWS, SET_ON_WINDOWS] : []),
  ]
    .flatMap((table) => Object.keys(table));
}

function baseValues(
  host: Pick<LaunchContext["host"], "env" | "platform">,
  places: { readonly tmp: string; readonly home: string },
  writable: readonly string[],
): Record<string, string> {
  const isWindows = host.platform.os === "windows";
  const values: Record<string, string> = {};
  for (
    const name of Object.keys({ ...PASSED_VARIABLES, ...(isWindows ? PASSED_ON_WINDOWS : {}) })
  ) {
    const value = name === "PATH" ? basePath(host, writable) : host.env(name);
    if (value !== undefined && value !== "") values[name] = value;
  }
  Object.assign(values, { HOME: places.home, TMPDIR: places.tmp, NO_COLOR: "1" });
  if (isWindows) {
    Object.assign(values, { USERPROFILE: places.home, APPDATA: places.home });
    Object.assign(values, { LOCALAPPDATA: places.home, TEMP: places.tmp, TMP: places.tmp });
  }
  return values;
}

/** What a `deno` program of ours is always told, by {@linkcode DENO_VARIABLES}. */
export function denoValues(denoDir: string): Record<string, string> {
  return { DENO_DIR: denoDir, DENO_NO_PACKAGE_JSON: "1", DENO_NO_UPDATE_CHECK: "1" };
}

function distinct(entries: readonly Entry[]): Entry[] {
  const byName = new Map<string, Entry>();
  for (const entry of entries) if (!byName.has(entry.value)) byName.set(entry.value, entry);
  return [...byName.values()];
}

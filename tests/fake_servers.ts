// A registry over real child processes: the servers of fixtures/fake_mcp.ts, without grants.
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS, type Limits } from "../lib/limits.ts";
import type { CallResult, Registry } from "../lib/mcp/registry.ts";
import type { ServerLog } from "../lib/mcp/server_log.ts";
import { type RegistryOptions, startRegistry } from "../lib/mcp/start_registry.ts";
import type { Grant } from "../lib/sandbox/grant.ts";
import type { Launch } from "../lib/sandbox/launch.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { fromRepo, PATIENCE_MS } from "./harness.ts";

const FAKE = fromRepo("tests/fixtures/fake_mcp.ts");
const FLAGS = ["run", "--no-prompt", "--no-config", "--no-lock", "--no-remote"];

/** One server: its name, the fixture's knobs, and flags of Deno beyond none. */
export interface Fake {
  readonly name: string;
  readonly knobs?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the fixture. */
  readonly program?: string;
  /** The bridge to that address instead of the fixture. */
  readonly url?: string;
}

/** A started registry with all that it said, closed at the end of the test. */
export interface Started extends AsyncDisposable {
  readonly registry: Registry;
  readonly notices: string[];
  readonly logs: ServerLog[];
  readonly released: string[];
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<CallResult>;
}

/** Starts servers side by side; `options` replaces what is passed to `startRegistry()` otherwise. */
export async function startFakes(
  fakes: readonly Fake[],
  limits: Partial<Limits> = {},
  options: Partial<RegistryOptions> = {},
): Promise<Started> {
  const notices: string[] = [];
  const logs: ServerLog[] = [];
  const released: string[] = [];
  const registry = await startRegistry({
    specs: fakes.map(specOf),
    prepare: (spec) => Promise.resolve(launchOf(spec, fakes[indexOf(spec)] ?? spec, released)),
    world: denoHost(),
    limits: { ...DEFAULT_LIMITS, ...limits },
    onNotice: (text) => notices.push(text),
    onLog: (line) => logs.push(line),
    clientInfo: { name: "skep-test", version: "1" },
    roots: [fromRepo("tests")],
    signal: new AbortController().signal,
    findDenial: () => undefined,
    explainDenial: () => "",
    ...options,
  });
  return {
    registry,
    notices,
    logs,
    released,
    call: (name, args = {}, signal = new AbortController().signal) =>
      registry.call(name, args, signal),
    [Symbol.asyncDispose]: () => registry.close(),
  };
}

/** The spec's first argument is its place in the list, since its name may be changed. */
function specOf({ name }: Fake, index: number): ServerSpec {
  const origin = { kind: "flag", where: "test" } as const;
  return { name, command: "fake", args: [String(index)], env: {}, origin };
}

function indexOf(spec: ServerSpec): number {
  return Number(spec.args[0]);
}

/** A launch of the fixture; its name goes to `released` at its end. */
export function launchOf({ name }: ServerSpec, fake: Fake, released: string[]): Launch {
  const cwd = fromRepo(".");
  return {
    server: name,
    kind: "script",
    grant: { server: name } as Grant, // lib/mcp only hands it on
    command: {
      program: fake.program ?? Deno.execPath(),
      args: fake.url === undefined
        ? [...FLAGS, ...fake.flags ?? [], FAKE, ...fake.knobs ?? []]
        : [...bridgeFlags(new URL(fake.url)), ...fake.knobs ?? []],
      cwd,
      env: {
        NO_COLOR: "1",
        PATH: Deno.env.get("PATH") ?? "",
        ...(fake.url === undefined ? {} : { BRIDGE_URL: fake.url, DENO_DIR: denoDir(denoHost()) }),
        ...fake.env,
      },
    },
    secretNames: [],
    redact: (text) => text,
    dangers: [],
    notices: [],
    readOwn: () => Promise.resolve(undefined),
    release: () => Promise.resolve(void released.push(name)),
  };
}

function bridgeFlags({ host }: URL): string[] {
  const own = [`--config=${fromRepo("deno.json")}`, `--lock=${fromRepo("deno.lock")}`, "--frozen"];
  const grant = [`--allow-net=${host}`, "--allow-env=BRIDGE_URL", "--ignore-env"];
  return ["run", "--no-prompt", "--no-remote", ...own, ...grant, fromRepo("tools/bridge/main.ts")];
}

/** The texts of a result, a line each. */
export function textOf(result: CallResult): string {
  return result.content.map((block) => block.type === "text" ? block.text : "(image)").join("\n");
}

/** What state a server is in. */
export function stateOf({ registry }: Started, name: string): string | undefined {
  return registry.servers().find((server) => server.name === name)?.state;
}

/** The names of the tools that can be called now. */
export function listed({ registry }: Started): string[] {
  return registry.tools().map((tool) => tool.name);
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It does not come to hold: ${holds}`);
}

/** The process id that a server writes to a file. */
export async function readPid(path: string): Promise<number> {
  await until(() => Deno.readTextFile(path).then((text) => text !== "", () => false));
  return Number(await Deno.readTextFile(path));
}

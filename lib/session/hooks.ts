import { isSkepError, messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { serverMeant } from "../mcp/configured_names.ts";
import { Deadline } from "../mcp/deadline.ts";
import { elideMiddle } from "../mcp/elide.ts";
import type { ListedHook, Registry } from "../mcp/registry.ts";
import type { HookName, HookSettings } from "./hook_settings.ts";

/** What one server's hook came to: what it said (blank: nothing), or why it said nothing that counts. */
export type HookAnswer =
  | { readonly server: string; readonly isClosed: boolean; readonly text: string }
  | { readonly server: string; readonly isClosed: boolean; readonly failure: string };

/** What a hook may be told. It gets of it what its input schema names, and else nothing. */
export type HookFacts = Readonly<Record<string, unknown>>;

/** What calling hooks takes. */
export interface HookWorld {
  readonly registry: Pick<Registry, "hooks" | "callHook" | "giveUp" | "specs">;
  readonly limits: Pick<Limits, "hookTimeoutMs" | "maxHookResultBytes">;
  readonly world: Pick<Host, "sleep">;
}

/** Calls the hooks of the servers that the operator lets. */
export class Hooks {
  readonly #settings: HookSettings;
  readonly #world: HookWorld;
  /** Timeouts in a row, by server. */
  readonly #late = new Map<string, number>();

  constructor(settings: HookSettings, world: HookWorld) {
    this.#settings = settings;
    this.#world = world;
  }

  /** True when a call of that hook would ask anyone. */
  has(hook: HookName): boolean {
    return this.#members(hook).length > 0;
  }

  /** The servers whose hook of that name is a security hook. */
  closed(hook: HookName): string[] {
    return this.#settings.closed.filter((each) => each.hook === hook)
      .map(({ server }) => this.#listedAs(server));
  }

  /**
   * Calls one hook on every server that has it, side by side; answers come in the order of the servers.
   * A failure is an answer: whoever asks decides what it means.
   *
   * @throws {SkepError} `CANCELLED` when the signal was aborted.
   */
  async run(hook: HookName, facts: HookFacts, signal: AbortSignal): Promise<HookAnswer[]> {
    return await Promise.all(
      this.#members(hook).map(async ({ server, isClosed, listed }): Promise<HookAnswer> => {
        if (listed === undefined) {
          const failure = `its hook ${hook} is not there`;
          return { server, isClosed, failure };
        }
        return { server, isClosed, ...await this.#call(listed, facts, signal) };
      }),
    );
  }

  #members(hook: HookName): {
    readonly server: string;
    readonly isClosed: boolean;
    readonly listed?: ListedHook;
  }[] {
    const { servers } = this.#settings;
    if (servers.length === 0) return []; // the common case costs nothing
    const must = this.closed(hook);
    const may = servers === "*" ? servers : servers.map((server) => this.#listedAs(server));
    const listed = this.#world.registry.hooks().filter(({ name, server }) =>
      name === hook && (may === "*" || may.includes(server))
    );
    const missing = must.filter((server) => listed.every((each) => each.server !== server));
    return [
      ...listed.map((each) => ({
        server: each.server,
        isClosed: must.includes(each.server),
        listed: each,
      })),
      ...[...new Set(missing)].map((server) => ({ server, isClosed: true })),
    ];
  }

  /** What a server is listed as that the operator names as it is configured; one that is not there stays. */
  #listedAs(server: string): string {
    return serverMeant(server, this.#world.registry.specs())?.name ?? server;
  }

  async #call(
    listed: ListedHook,
    facts: HookFacts,
    signal: AbortSignal,
  ): Promise<{ text: string } | { failure: string }> {
    const { registry, limits, world } = this.#world;
    const { server, name } = listed;
    using deadline = new Deadline(limits.hookTimeoutMs, signal, world.sleep);
    try {
      const asked = argumentsFor(listed, facts);
      const { isError, content, isUndelivered } = await registry.callHook(
        listed,
        asked,
        deadline.signal,
      );
      const text = content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
      if (isUndelivered) return { failure: `its hook ${name} cannot be asked: ${text}` };
      this.#late.delete(server);
      if (isError) return { failure: `its hook ${name} failed: ${text}` };
      return { text: elideMiddle(text, limits.maxHookResultBytes) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (!deadline.isLate && !isSkepError(error, "CANCELLED")) {
        return { failure: `its hook ${name} failed: ${messageOf(error)}` };
      }
      await this.#countLate(server);
      return { failure: `its hook ${name} did not answer within ${limits.hookTimeoutMs} ms` };
    }
  }

  async #countLate(server: string): Promise<void> {
    const late = (this.#late.get(server) ?? 0) + 1;
    this.#late.set(server, late);
    if (late < 2) return;
    this.#late.delete(server);
    await this.#world.registry.giveUp(server, "did not answer its hooks, twice in a row");
  }
}

/** Hooks of buzz-agent's take no arguments; one that wants to know something names it in its schema. */
function argumentsFor({ inputSchema: { properties } }: ListedHook, facts: HookFacts): HookFacts {
  const wanted = typeof properties === "object" && properties !== null ? properties : {};
  return Object.fromEntries(Object.entries(facts).filter(([name]) => Object.hasOwn(wanted, name)));
}

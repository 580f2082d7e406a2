import { messageOf } from "../errors.ts";
import { nameServers } from "../mcp/server_names.ts";
import type { Registry, RegistryChanges, ServerStatus } from "../mcp/registry.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import { widened } from "../sandbox/widened.ts";

/** Where the entries of a session's servers are written. */
export interface ServerSource {
  /** The entries that the session was opened with, in the order of its servers. */
  readonly specs: readonly ServerSpec[];
  /** What the model was told of the persona then, as a text to compare; empty where that is not the persona's. */
  readonly text: string;
  /** All else of the persona, to compare. */
  readonly settings: string;
  /** All of it as it is now. @throws {SkepError} when a file cannot be used. */
  read(): Promise<EntriesNow>;
  /** Has the model told from now on what the persona's file says now. @throws {SkepError} when it cannot be used. */
  takeText(): Promise<void>;
  /** Computes a server's grant and starts nothing. @throws {SkepError} when it may not be started. */
  prepare(spec: ServerSpec): Promise<Launch>;
  /** Tells a person something. */
  onNotice(text: string): void;
}

/** What a session was opened with as it is written now. */
export interface EntriesNow extends Pick<ServerSource, "specs" | "text" | "settings"> {
  readonly unusable: readonly UnusableEntry[];
}

/** What a reload came to, servers by name. */
export interface Reloaded {
  /** True when the persona's text was another one, and is what the model is told from now on. */
  readonly text: boolean;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Those that would get more than they had, and are as they were: say which of them may. */
  readonly widened: readonly { readonly server: string; readonly more: readonly string[] }[];
  /** Those whose new entry cannot be used, and are as they were. */
  readonly refused: readonly { readonly server: string; readonly reason: string }[];
}

/** An entry, and the name that its server is known by. */
interface Known {
  readonly spec: ServerSpec;
  readonly name: string;
}

/** The servers of a running session, and their entries on disk. */
export class SessionServers {
  readonly #registry: Registry;
  readonly #source: ServerSource | undefined;
  readonly #onSwitched: (server: string, isOff: boolean) => void;
  #known: readonly Known[];
  #text: string;
  #settings: string;
  /** What a person was told of last. */
  #offered = "";

  /** @param onSwitched Is told of what a person wants to be there, and what not, from now on. */
  constructor(
    registry: Registry,
    source?: ServerSource,
    onSwitched: (server: string, isOff: boolean) => void = () => {},
  ) {
    this.#registry = registry;
    this.#onSwitched = onSwitched;
    this.#source = source;
    this.#text = source?.text ?? "";
    this.#settings = source?.settings ?? "";
    const names = registry.specs();
    this.#known = (source?.specs ?? []).flatMap((spec, place) => {
      const name = names[place]?.name;
      return name === undefined ? [] : [{ spec, name }]; // past the limit: it was left out
    });
  }

  list(): ServerStatus[] {
    return this.#registry.servers();
  }

  add(...given: Parameters<RegistryChanges["add"]>): Promise<ServerStatus> {
    return this.#on(this.#registry.add(...given));
  }

  async remove(name: string): Promise<void> {
    await this.#registry.remove(name);
    this.#onSwitched(name, true);
    this.#known = this.#known.filter((each) => each.name !== name);
  }

  async disable(name: string): Promise<ServerStatus> {
    const status = await this.#registry.disable(name);
    this.#onSwitched(name, true);
    return status;
  }

  /** Starts one server anew, as it was. */
  restart(name: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#on(this.#registry.reload(name, undefined, signal));
  }

  /** Tells a person once what is another one on disk now. Nothing is changed by it. */
  async look(): Promise<void> {
    if (this.#source === undefined) return;
    const now = await this.#source.read().catch(messageOf);
    const told = typeof now === "string"
      ? [
        `The persona and the entries of servers cannot be read any more, they stay as they are: ${now}`,
      ]
      : this.#changesTo(now);
    const offer = JSON.stringify([told, now]);
    if (told.length === 0 || offer === this.#offered) return;
    this.#offered = offer;
    for (const text of told) this.#source.onNotice(text);
  }

  /** What is not as the session has it, a sentence each. */
  #changesTo({ specs, text, settings }: EntriesNow): string[] {
    const areOthers = textOf(specs) !== textOf(this.#known.map(({ spec }) => spec));
    const changed = [
      ...(areOthers ? ["the entries of servers"] : []),
      ...(text === this.#text ? [] : ["the text of the persona"]),
    ].join(" and ");
    return [
      ...(changed === "" ? [] : [
        `T${changed.slice(1)} ${areOthers ? "have" : "has"} changed on disk: ` +
        "/mcp reload in skep chat takes that over, _skep/mcp/reload over ACP",
      ]),
      ...(settings === this.#settings ? [] : [
        "Other settings of the persona have changed on disk: a session that is opened from now on has them",
      ]),
    ];
  }

  /**
   * Takes the persona's text and the entries on disk over. A server that would get more than it had, a new one too, stays as it
   * is unless it is accepted by name.
   *
   * @param accepted Names of servers, or `*` for all of them.
   * @throws {SkepError} when a file cannot be used: then nothing is changed; `CANCELLED` when the signal was
   * aborted: then what is not done yet is not done.
   */
  async reload(accepted: readonly string[] = [], signal?: AbortSignal): Promise<Reloaded> {
    const outcome = {
      text: false,
      added: [] as string[],
      changed: [] as string[],
      removed: [] as string[],
      widened: [] as Reloaded["widened"][number][],
      refused: [] as Reloaded["refused"][number][],
    };
    if (this.#source === undefined) return outcome;
    const { specs, unusable, text } = await this.#source.read();
    if (text !== this.#text) {
      await this.#source.takeText();
      this.#text = text;
      outcome.text = true;
    }
    const now = nameServers(specs);
    const next: Known[] = [];
    for (const known of this.#known) {
      const { name } = known;
      if (now.some((each) => each.name === name)) continue;
      const wrong = unusable.find((entry) => entry.name === name);
      if (wrong !== undefined) {
        next.push(known);
        outcome.refused.push({ server: name, reason: wrong.why });
        continue;
      }
      await this.#registry.remove(name);
      this.#known = this.#known.filter((each) => each.name !== name);
      outcome.removed.push(name);
    }
    for (const spec of now) {
      const { name } = spec;
      const before = this.#known.find((each) => each.name === name);
      if (before !== undefined && textOf([before.spec]) === textOf([spec])) {
        next.push(before);
        continue;
      }
      const more = await this.#more(spec, before?.spec);
      if ("reason" in more) outcome.refused.push({ server: name, reason: more.reason });
      else if (more.more.length > 0 && !accepted.includes("*") && !accepted.includes(name)) {
        outcome.widened.push({ server: name, more: more.more });
      } else {
        const changed = before === undefined
          ? await this.#on(this.#registry.add(spec, signal))
          : await this.#on(this.#registry.reload(name, spec, signal));
        this.#known = [...this.#known.filter((each) => each !== before), {
          spec,
          name: changed.name,
        }];
        outcome[before === undefined ? "added" : "changed"].push(changed.name);
        next.push({ spec, name: changed.name });
        continue;
      }
      if (before !== undefined) next.push(before);
    }
    this.#known = next;
    return outcome;
  }

  async #on(starting: Promise<ServerStatus>): Promise<ServerStatus> {
    const status = await starting;
    this.#onSwitched(status.name, false);
    return status;
  }

  /** What a server would get that it does not have, its very program among it. */
  async #more(
    spec: ServerSpec,
    before: ServerSpec | undefined,
  ): Promise<{ readonly more: readonly string[] } | { readonly reason: string }> {
    try {
      const launch = await this.#source!.prepare(spec);
      await launch.release();
      const more = widened(this.#registry.grantOf(spec.name), launch.grant);
      const command = [spec.command, ...spec.args].join(" ");
      const isSame = before !== undefined && command === [before.command, ...before.args].join(" ");
      return { more: isSame ? more : [`command ${command}`, ...more] };
    } catch (error) {
      return { reason: messageOf(error) };
    }
  }
}

/** Entries as a text that is another one when they are. */
function textOf(specs: readonly ServerSpec[]): string {
  return JSON.stringify(nameServers(specs));
}

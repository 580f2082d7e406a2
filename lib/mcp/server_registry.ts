import { SkepError } from "../errors.ts";
import type { ToolDefinition } from "../model/message.ts";
import type { Grant } from "../sandbox/grant.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { absences, whyNot } from "./absences.ts";
import { CallArguments } from "./call_arguments.ts";
import { undelivered } from "./call_result.ts";
import { cancelled, orCancelled } from "./cancelled.ts";
import { chosenServers } from "./chosen_servers.ts";
import { type OtherNames, otherNames } from "./configured_names.ts";
import { findTools } from "./find_tools.ts";
import { LeftOutNotice } from "./left_out_tools.ts";
import { plainText } from "./plain_text.ts";
import type {
  CallResult,
  FoundTools,
  ListedHook,
  Progress,
  Registry,
  ServerNote,
  ServerStatus,
  ToolFacts,
} from "./registry.ts";
import type { RegistryMember, StartedMember } from "./registry_member.ts";
import { hasMissed, switchedOff } from "./registry_member.ts";
import type { Server } from "./server.ts";
import type { ServerOptions } from "./server_options.ts";
import { rootOf } from "./root_of.ts";
import { nameServers, ownerOf } from "./server_names.ts";
import { spawnMember, type StartOptions } from "./spawn_member.ts";
import type { RegistryOptions } from "./start_registry.ts";
import type { ToolList } from "./tool_list.ts";
import { definitionOf, type TableEntry, ToolTable } from "./tool_table.ts";
import { Work } from "./work.ts";

type Entry = TableEntry<Server>;

/** The registry over servers that are children of ours. */
export class ServerRegistry implements Registry {
  readonly #options: RegistryOptions;
  readonly #closing: AbortController;
  readonly #table: ToolTable;
  readonly #arguments: CallArguments;
  /** In the order of the specs. */
  #members: readonly RegistryMember[] = [];
  #isStarted = false;
  #absences: readonly string[] = [];
  readonly #leftOut: LeftOutNotice;
  readonly #work = new Work();
  #closed: Promise<void> | undefined;

  /** @param closing Aborted by `close()`. */
  constructor(options: RegistryOptions, closing: AbortController) {
    this.#options = options;
    this.#closing = closing;
    this.#table = new ToolTable(options.limits);
    this.#arguments = new CallArguments(options.limits, options.onLog);
    this.#leftOut = new LeftOutNotice(options.limits);
  }

  /** Starts all servers, or gets those ready that may wait for their first call. */
  async start(): Promise<void> {
    const { limits, off } = this.#options;
    const specs = chosenServers(this.#options);
    const mayWait = specs.length > limits.eagerServers;
    this.#table.choose(specs);
    // All are spawned before the first is spoken to: loading the client takes longer than they do.
    const startOf = (spec: ServerSpec) =>
      off?.has(spec.name) ? switchedOff(spec) : this.#spawn(spec, { mayWait });
    this.#members = await Promise.all(specs.map(startOf));
    await Promise.all(this.#members.map((member, place) => this.#connect(member, place)));
    this.#isStarted = true;
    this.#tellLeftOut();
    this.#absences = absences({
      ...this.#options,
      servers: this.servers(),
      facts: this.facts(),
    });
    if (mayWait) this.#rest();
  }

  tools(): ToolDefinition[] {
    return this.#entries("listed").map(definitionOf);
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<CallResult> {
    let fit = await this.#fit(name, args);
    // A list that is only remembered refuses nothing: the server may have other tools by now.
    if ("isError" in fit && await this.wake(name, signal)) fit = await this.#fit(name, args);
    if ("isError" in fit) return fit;
    const { server } = fit;
    const ask = (each: Entry) =>
      each.server.call(each.tool.name, args, signal, this.#options.keep, onProgress);
    const result = await ask(fit);
    if (!result.isUndelivered || !hasMissed(server)) return result;
    // It was idle until now: nobody saw before that it does not find what it imports.
    await orCancelled(this.#refetchOnce(server), signal);
    const again = this.#entry(name);
    return again === undefined ? result : await ask(again);
  }

  async wake(tool: string, signal: AbortSignal): Promise<boolean> {
    const server = this.#waiting(tool);
    if (server === undefined) return false;
    await server.wake(signal);
    if (hasMissed(server)) await orCancelled(this.#refetchOnce(server), signal);
    return true;
  }

  mayHave(tool: string): boolean {
    return this.#waiting(tool) !== undefined;
  }

  get hasHidden(): boolean {
    return this.#entries("hidden").length > 0;
  }

  find(query: string): FoundTools {
    const hidden = this.#entries("hidden").map(definitionOf);
    const found = findTools(query, hidden);
    const tools = found.slice(0, this.#options.limits.maxFoundTools);
    this.#table.show(tools.map(({ name }) => name).reverse()); // the best one stays longest
    return { tools, more: found.length - tools.length, hidden: hidden.length };
  }

  async inventory(): Promise<ToolFacts[]> {
    return await Promise.all(
      this.#table.entries(this.#servers()).map(async ({ tool, facts }) => (
        { ...facts, notes: [...facts.notes, ...await this.#arguments.notes(tool)] }
      )),
    );
  }

  /** As `inventory()`, without what is not checked. */
  facts(): ToolFacts[] {
    return this.#table.entries(this.#servers()).map(({ facts }) => facts);
  }

  instructions(): ServerNote[] {
    return this.#servers().flatMap(({ name, tools, instructions }) =>
      instructions === undefined || tools.length === 0 ? [] : [{ server: name, text: instructions }]
    );
  }

  absences(): readonly string[] {
    return this.#absences;
  }

  whyNot(tool: string): string | undefined {
    return whyNot(tool, {
      servers: this.servers(),
      facts: this.facts(),
      limits: this.#options.limits,
    });
  }

  hooks(): ListedHook[] {
    return this.#servers().flatMap((server) =>
      server.hooks.map(({ name, inputSchema }) => ({ server: server.name, name, inputSchema }))
    );
  }

  callHook(
    { server, name }: Pick<ListedHook, "server" | "name">,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const found = this.#servers().find((each) => each.name === server);
    if (found === undefined) return Promise.resolve(undelivered(`there is no server "${server}"`));
    return found.call(name, args, signal);
  }

  async giveUp(server: string, reason: string): Promise<void> {
    await this.#servers().find(({ name }) => name === server)?.giveUp(reason);
  }

  looksOnly(tool: string): boolean {
    const entry = this.#entry(tool);
    return entry !== undefined && entry.server.looksOnly && entry.tool.isChanging !== true;
  }

  namesOf(tool: string): OtherNames {
    return otherNames(tool, this.facts(), this.specs());
  }

  publishes(tool: string): boolean {
    return this.#entry(tool)?.tool.isPublishing === true;
  }

  servers(): ServerStatus[] {
    const listed = this.#entries("listed");
    return this.#members.map((member) => {
      const { name } = member.spec;
      if ("off" in member) return { name, ...member.off, tools: [] };
      const tools = listed.filter(({ server }) => server === member.server);
      return { name, ...member.server.status, tools: tools.map(({ facts }) => facts.name) };
    });
  }

  specs(): readonly ServerSpec[] {
    return this.#members.map(({ spec }) => spec);
  }

  grantOf(server: string): Grant | undefined {
    const member = this.#members.find(({ spec }) => spec.name === server);
    return member !== undefined && "launch" in member ? member.launch.grant : undefined;
  }

  add(spec: ServerSpec, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#work.change(async () => {
      const { maxServers } = this.#options.limits;
      if (this.#members.length >= maxServers) {
        const message = `Cannot add server "${plainText(spec.name)}": ${maxServers} is the limit`;
        throw new SkepError("TOO_MANY", message, { what: "servers", limit: maxServers });
      }
      const own = nameServers([...this.specs(), spec]).at(-1)!;
      this.#table.choose([...this.specs(), own]);
      const place = this.#members.length;
      const status = await this.#put(own, place, signal);
      if (!signal?.aborted) return status;
      await this.#drop(place);
      throw cancelled(`The start of server "${own.name}" was cancelled`);
    });
  }

  remove(name: string): Promise<void> {
    return this.#work.change(() => this.#drop(this.#placeOf(name)));
  }

  disable(name: string): Promise<ServerStatus> {
    return this.#work.change(async () => {
      const place = this.#placeOf(name);
      await this.#switchOff(place);
      return this.servers()[place]!;
    });
  }

  reload(name: string, spec?: ServerSpec, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#work.change(async () => {
      const place = this.#placeOf(name);
      const next = { ...spec ?? this.#members[place]!.spec, name };
      await this.#stop(place);
      this.#table.choose(this.specs().with(place, next));
      const status = await this.#put(next, place, signal);
      if (!signal?.aborted) return status;
      await this.#switchOff(place, "is off: its start was cancelled");
      throw cancelled(`The start of server "${name}" was cancelled`);
    });
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    await this.#work.changes();
    await Promise.all(this.#servers().map((server) => server.close()));
    await this.#work.rest();
  }

  #placeOf(name: string): number {
    const place = this.#members.findIndex(({ spec }) => spec.name === name);
    if (place !== -1) return place;
    const names = this.specs().map((spec) => spec.name).join(", ");
    const message = `There is no server "${plainText(name)}": this session has ${names || "none"}`;
    throw new SkepError("SERVER_UNKNOWN", message, { server: name });
  }

  async #put(spec: ServerSpec, place: number, signal?: AbortSignal): Promise<ServerStatus> {
    const member = await this.#spawn(spec, signal === undefined ? {} : { signal });
    this.#members = place === this.#members.length
      ? [...this.#members, member]
      : this.#members.with(place, member);
    await this.#connect(member, place, signal);
    return this.servers()[place]!;
  }

  async #drop(place: number): Promise<void> {
    const { name } = this.#members[place]!.spec;
    await this.#stop(place);
    this.#members = this.#members.toSpliced(place, 1);
    this.#table.take(name, []);
  }

  async #switchOff(place: number, reason?: string): Promise<void> {
    await this.#stop(place);
    this.#members = this.#members.with(place, switchedOff(this.#members[place]!.spec, reason));
  }

  async #stop(place: number): Promise<void> {
    const member = this.#members[place]!;
    if ("server" in member) await member.server.close();
  }

  #spawn(spec: ServerSpec, options: Omit<StartOptions, "closing"> = {}): Promise<RegistryMember> {
    const closing = this.#closing.signal;
    return spawnMember(spec, this.#options, this.#shared(), { ...options, closing });
  }

  /** Connects to a server that was spawned. One that did not find what it imports is started once more. */
  async #connect(member: RegistryMember, place: number, signal?: AbortSignal): Promise<void> {
    if ("off" in member) return;
    await member.server.connect(signal);
    if (signal?.aborted) return; // whoever gave it up stops it
    if (hasMissed(member.server) && !this.#closing.signal.aborted) {
      await this.#refetch(member, place);
    } else member.held.release();
  }

  /** Prepares a server once more, which fetches, and starts it. */
  async #refetch({ spec, server }: StartedMember, place: number): Promise<void> {
    await server.close();
    const member = await this.#spawn(spec, { isRefetching: true });
    this.#members = this.#members.with(place, member);
    if ("off" in member) return;
    await member.server.connect();
    member.held.release();
  }

  /** The same for a server whose call came too early; nothing when another call has done it. */
  #refetchOnce(server: Server): Promise<void> {
    return this.#work.change(async () => {
      const place = this.#members.findIndex((each) => "server" in each && each.server === server);
      const member = this.#members[place];
      if (member === undefined || "off" in member || this.#closing.signal.aborted) return;
      await this.#refetch(member, place);
    });
  }

  /** Stops what was started only to learn its tools: nobody has called it, so nothing is lost. */
  #rest(): void {
    if (this.#options.lists === undefined) return;
    for (const server of this.#servers()) this.#work.behind(server.rest());
  }

  #shared(): ServerOptions {
    const { editorFiles: _, ...options } = this.#options; // of one server alone
    return {
      ...options,
      roots: this.#options.roots.map(rootOf),
      closing: this.#closing.signal,
      onTools: (...read) => this.#take(...read),
    };
  }

  /** The tool of that name, or why it is not called. */
  async #fit(name: string, args: Readonly<Record<string, unknown>>): Promise<Entry | CallResult> {
    const entry = this.#entry(name);
    if (entry === undefined) return undelivered(`unknown tool: ${name}`);
    return await this.#arguments.refusal(entry.facts, entry.tool, args) ?? entry;
  }

  #take(server: string, list: ToolList, launch: Launch, isAtStart: boolean): void {
    const { lists, onLog, onNotice } = this.#options;
    const misspelt = this.#table.take(server, list.tools);
    for (const remark of [...list.remarks, ...misspelt]) {
      if (this.#isStarted) onLog({ server, kind: "health", text: remark });
      else onNotice(`Server "${server}": ${remark}`);
    }
    if (this.#isStarted) this.#tellLeftOut();
    const spec = this.specs().find(({ name }) => name === server);
    if (isAtStart && list.fault === undefined && spec !== undefined && lists !== undefined) {
      this.#work.behind(lists.remember(spec, launch, list));
    }
  }

  #tellLeftOut(): void {
    const text = this.#leftOut.tell(this.#entries("left out").map(({ facts }) => facts));
    if (text !== undefined) this.#options.onNotice(text);
  }

  #entries(state: ToolFacts["state"]): Entry[] {
    return this.#table.entries(this.#servers()).filter(({ facts }) => facts.state === state);
  }

  /** A tool that can be called: one that is not shown can be too, by whoever knows its name. */
  #entry(name: string): Entry | undefined {
    return this.#table.entries(this.#servers()).find(({ facts }) =>
      facts.name === name && (facts.state === "listed" || facts.state === "hidden")
    );
  }

  /** The server that waits for its first call and that a tool's name begins with. */
  #waiting(tool: string): Server | undefined {
    const server = ownerOf(tool, this.#servers());
    return server?.isWaiting === true ? server : undefined;
  }

  #servers(): Server[] {
    return this.#members.flatMap((member) => "server" in member ? [member.server] : []);
  }
}

import { messageOf } from "../errors.ts";
import { redactor } from "../sandbox/redact.ts";
import type { Login, LoginFiles } from "./login_file.ts";
import { runStep, StepFailed, type StepWorld } from "./run_step.ts";
import { tokensOf } from "./tokens_of.ts";

/** What a bridge says when it asks for its server's token. */
export interface TokenQuestion {
  /** The token that the server refused, or null for none; absent when none was tried yet. */
  readonly refused?: string | null;
  /** The scope that the server wants. */
  readonly scope?: string;
  /** `insufficient_scope`: the token is right and allows too little. */
  readonly error?: string;
}

/** So long before its end a token is replaced, so that it does not end within a request. */
const LEEWAY_MS = 60_000;

/**
 * The logins of a program's servers: tokens for their bridges, refreshed when they end, one refresh at a time
 * for each server. Another program may refresh, or a person log in, meanwhile: the file is what counts.
 */
export class Logins {
  readonly #files: LoginFiles;
  readonly #world: StepWorld & { readonly nowMs: () => number };
  readonly #flights = new Map<string, Promise<unknown>>();
  readonly #known = new Set<string>();

  constructor(files: LoginFiles, world: StepWorld & { readonly nowMs: () => number }) {
    this.#files = files;
    this.#world = world;
  }

  /** Takes every token that was given out of a text. */
  redact(text: string): string {
    return redactor([...this.#known].map((token) => ["login", token]))(text);
  }

  /**
   * The access token for a server; undefined when there is no login and none is needed so far.
   *
   * @param url The server's address. @param command What a person runs to log in.
   * @throws {Error} when the server refused what there is, and there is nothing better: what to do.
   */
  token(url: string, question: TokenQuestion, command: string): Promise<string | undefined> {
    const before = this.#flights.get(url) ?? Promise.resolve();
    const taken = before.then(() => this.#token(url, question, command));
    this.#flights.set(url, taken.catch(() => {})); // the next one is to start all the same
    return taken;
  }

  async #token(
    url: string,
    { refused, scope, error }: TokenQuestion,
    command: string,
  ): Promise<string | undefined> {
    const login = await this.#read(url);
    if (login === undefined) {
      if (refused === undefined) return undefined;
      throw new Error(`wants a login: run "${command}"`);
    }
    if (error === "insufficient_scope" && login.accessToken === refused) {
      const wantedScope = union(login.scope, scope);
      if (wantedScope !== undefined) await this.#files.write({ ...login, wantedScope });
      throw new Error(
        `wants a login that allows more (${scope ?? "it does not say what"}): run "${command}"`,
      );
    }
    const isOver = (login.expiresAtMs ?? Infinity) - LEEWAY_MS <= this.#world.nowMs();
    if (login.accessToken !== refused && !isOver) return login.accessToken;
    if (login.refreshToken === undefined) {
      if (refused === undefined) return login.accessToken; // its clock may be another
      throw new Error(`wants a new login: run "${command}"`);
    }
    return await this.#refresh(login, command);
  }

  async #refresh(login: Login, command: string): Promise<string> {
    const { url, authorizationServer, metadata, client, resource, refreshToken } = login;
    const named = metadata?.token_endpoint;
    const address = new URL(typeof named === "string" ? named : "/token", authorizationServer);
    const told = { authorizationServer, metadata, client, resource, refreshToken };
    try {
      const tokens = tokensOf(
        await runStep("refresh", told, address, this.#world),
        this.#world.nowMs(),
      );
      const { expiresAtMs: _, ...rest } = login;
      await this.#files.write({ ...rest, ...tokens });
      this.#learn({ ...rest, ...tokens });
      return tokens.accessToken;
    } catch (error) {
      const other = await this.#read(url);
      if (other !== undefined && other.accessToken !== login.accessToken) return other.accessToken;
      const isRefused = error instanceof StepFailed && error.code !== undefined;
      if (isRefused) throw new Error(`wants a new login: run "${command}"`, { cause: error });
      throw new Error(`cannot renew its login at ${address.host}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #read(url: string): Promise<Login | undefined> {
    const login = await this.#files.read(url);
    if (login !== undefined) this.#learn(login);
    return login;
  }

  #learn({ accessToken, refreshToken }: Login): void {
    this.#known.add(accessToken);
    if (refreshToken !== undefined) this.#known.add(refreshToken);
  }
}

/** Each word of both. */
function union(one = "", other = ""): string | undefined {
  const words = new Set(`${one} ${other}`.split(" ").filter((word) => word !== ""));
  return words.size === 0 ? undefined : [...words].join(" ");
}

import { join } from "@std/path";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { isRecord, type Json } from "./json.ts";

/** What is kept of a login at a server, for as long as it counts. */
export interface Login {
  /** The server's address. */
  readonly url: string;
  readonly authorizationServer: string;
  /** The authorization server's own description; absent for one that has none. */
  readonly metadata?: Json;
  /** As what skep is known there: `client_id` and what belongs to it. */
  readonly client: Json;
  readonly redirectUri: string;
  /** What the tokens are for. */
  readonly resource?: string;
  readonly scope?: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970; absent: it does not say. */
  readonly expiresAtMs?: number;
  /** What the server asked for and the token does not allow: the next login asks for it. */
  readonly wantedScope?: string;
}

/** Keeps logins, a file for each server, which nobody else reads (0600). */
export class LoginFiles {
  readonly #folder: string;
  readonly #files: Pick<Files, "lstat" | "readText" | "writeText" | "makeFolder" | "remove">;
  readonly #limit: number;

  constructor(
    stateFolder: string,
    files: Pick<Files, "lstat" | "readText" | "writeText" | "makeFolder" | "remove">,
    { maxLoginFileBytes }: Pick<Limits, "maxLoginFileBytes">,
  ) {
    this.#folder = join(stateFolder, "logins");
    this.#files = files;
    this.#limit = maxLoginFileBytes;
  }

  /** The login at a server; undefined when there is none, or what lies there is no file of ours. */
  async read(url: string): Promise<Login | undefined> {
    const path = await this.#path(url);
    const facts = await this.#files.lstat(path);
    if (facts === undefined || !facts.isFile) return undefined; // a link is not followed
    try {
      const login: unknown = JSON.parse(await this.#files.readText(path, this.#limit));
      return isLogin(login) && login.url === url ? login : undefined;
    } catch {
      return undefined; // a file that was cut: a login makes a new one
    }
  }

  /** Keeps a login in place of whatever lies there. */
  async write(login: Login): Promise<void> {
    await this.#files.makeFolder(this.#folder);
    await this.#files.writeText(await this.#path(login.url), `${JSON.stringify(login)}\n`);
  }

  /** Forgets the login at a server. @returns false when there was none. */
  async remove(url: string): Promise<boolean> {
    const path = await this.#path(url);
    const isThere = await this.#files.lstat(path) !== undefined;
    await this.#files.remove(path);
    return isThere;
  }

  async #path(url: string): Promise<string> {
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(url));
    return join(this.#folder, `${new Uint8Array(hash).toHex().slice(0, 32)}.json`);
  }
}

function isLogin(value: unknown): value is Login {
  if (!isRecord(value)) return false;
  const { url, authorizationServer, client, redirectUri, accessToken } = value;
  const texts = [url, authorizationServer, redirectUri, accessToken];
  return texts.every((each) => typeof each === "string") && isRecord(client);
}

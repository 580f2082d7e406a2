import { join } from "@std/path";
import { isRecord } from "./is_record.ts";
import type { ModelWorld } from "./world.ts";

/** What a login gave. */
export interface OAuthToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Seconds since 1970; undefined: it does not expire. */
  readonly expiresAt: number | undefined;
}

/** So long before its end a token counts as expired, so that it does not end within a request. */
const LEEWAY_S = 60;

/** Tells whether a token can still be used. */
export function isFresh({ expiresAt }: OAuthToken, nowMs: number): boolean {
  return expiresAt === undefined || expiresAt - LEEWAY_S > nowMs / 1000;
}

/**
 * The token in a server's answer. What it does not say of the refresh token stays as it was.
 *
 * @throws {TypeError} when there is no access token in it.
 */
export function tokenOf(
  answer: unknown,
  nowMs: number,
  before?: Pick<OAuthToken, "refreshToken">,
): OAuthToken {
  if (!isRecord(answer) || typeof answer.access_token !== "string" || answer.access_token === "") {
    throw new TypeError("the answer has no access_token");
  }
  const { refresh_token: refresh, expires_in: lasts } = answer;
  const seconds = Number(lasts);
  return {
    accessToken: answer.access_token,
    refreshToken: typeof refresh === "string" && refresh !== "" ? refresh : before?.refreshToken,
    expiresAt: lasts !== undefined && Number.isFinite(seconds)
      ? Math.floor(nowMs / 1000 + seconds)
      : undefined,
  };
}

/** Removes the tokens whose name begins with `prefix` and a `-`. */
export async function forgetLogins(
  prefix: string,
  { configFolder, files }: Pick<ModelWorld, "configFolder" | "files">,
): Promise<void> {
  if (configFolder === undefined) return;
  const folder = join(configFolder, "oauth");
  if (await files.stat(folder) === undefined) return;
  const names = (await files.list(folder)).filter((name) => name.startsWith(`${prefix}-`));
  await Promise.all(names.map((name) => files.remove(join(folder, name))));
}

/** Keeps a login's token in a file of its own, that nobody else reads. */
export class TokenFile {
  readonly #path: string | undefined;
  readonly #files: ModelWorld["files"];
  readonly #mostBytes: number;

  /** @param name Tells logins apart: what it is for, as a file's name without an ending. */
  constructor(
    name: string,
    { configFolder, files, limits }: Pick<ModelWorld, "configFolder" | "files" | "limits">,
  ) {
    this.#path = configFolder === undefined
      ? undefined
      : join(configFolder, "oauth", `${name}.json`);
    this.#files = files;
    this.#mostBytes = 4 * limits.maxKeyBytes; // two tokens, and what is around them
  }

  /** The token that was kept; undefined when there is none, or what lies there is no file of ours. */
  async read(): Promise<OAuthToken | undefined> {
    if (this.#path === undefined) return undefined;
    const facts = await this.#files.lstat(this.#path);
    if (facts === undefined || !facts.isFile) return undefined; // a link is not followed
    const token = await this.#parsed(this.#path);
    const isOpen = facts.mode !== undefined && (facts.mode & 0o077) !== 0;
    if (token !== undefined && isOpen) await this.write(token);
    return token;
  }

  /** Keeps a token, mode 0600, in place of whatever lies there. */
  async write({ accessToken, refreshToken, expiresAt }: OAuthToken): Promise<void> {
    if (this.#path === undefined) return;
    await this.#files.makeFolder(join(this.#path, ".."));
    const fields = {
      access_token: accessToken,
      refresh_token: refreshToken ?? null,
      expires_at: expiresAt ?? null,
    };
    await this.#files.writeText(this.#path, `${JSON.stringify(fields)}\n`);
  }

  async #parsed(path: string): Promise<OAuthToken | undefined> {
    try {
      const fields: unknown = JSON.parse(await this.#files.readText(path, this.#mostBytes));
      const { refreshToken, accessToken } = tokenOf(fields, 0);
      const expires = isRecord(fields) ? fields.expires_at : undefined;
      return {
        accessToken,
        refreshToken,
        expiresAt: typeof expires === "number" ? expires : undefined,
      };
    } catch {
      return undefined; // a file that was cut, or is another's: a login makes a new one
    }
  }
}

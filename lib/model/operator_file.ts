import { join } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { nearest } from "../suggest.ts";
import { type Effort, parseEffort } from "./effort.ts";
import { parseBaseUrl } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { ModelFacts, Prices } from "./facts.ts";
import type { GateLimits } from "./gate.ts";
import { isRecord } from "./is_record.ts";
import type { ModelWorld } from "./world.ts";

/** What the operator settles for one provider. */
export interface OperatorProvider {
  /** Absolute path of a file, mode 0600, that holds the key and nothing else. */
  readonly keyFile?: string;
  /** A program with its arguments that prints the key. */
  readonly keyCommand?: readonly string[];
  /**
   * Where it is reached unless its variable says so, without a `/` at its end. A name that is none of
   * ours becomes a provider that speaks Chat Completions there.
   */
  readonly baseUrl?: string;
  /** The variable that holds its key, for a provider of the operator's own. */
  readonly keyVariable?: string;
  /** How much it is asked at once, by all sessions together. */
  readonly limits?: GateLimits;
}

/** The operator's `models.yaml`. */
export interface OperatorFile {
  readonly path: string | undefined;
  /** By name. */
  readonly providers: ReadonlyMap<string, OperatorProvider>;
  /** By `provider:model`. */
  readonly models: ReadonlyMap<string, Partial<ModelFacts>>;
}

/** The file's name in the configuration folder. */
export const OPERATOR_FILE = "models.yaml";

const PROVIDER_FIELDS = ["key_file", "key_command", "base_url", "key_variable", "limits"];

const NONE: OperatorFile = { path: undefined, providers: new Map(), models: new Map() };

/**
 * Reads `models.yaml` in the configuration folder; where there is none, nothing is settled.
 *
 * @throws {SkepError} `CONFIG_INVALID` with the entry at fault.
 */
export async function readOperatorFile(
  { configFolder, files, limits }: Pick<ModelWorld, "configFolder" | "files" | "limits">,
): Promise<OperatorFile> {
  if (configFolder === undefined) return NONE;
  const path = join(configFolder, OPERATOR_FILE);
  const reader = new Reader(path);
  try {
    const facts = await files.stat(path);
    if (facts === undefined) return NONE;
    // It may name a program that is run, so whoever can write it can do what this user can.
    if (facts.mode !== undefined && (facts.mode & 0o022) !== 0) {
      throw reader.fault("it", `not be open to others' writing (${facts.mode.toString(8)})`);
    }
    const { parse } = await import("@std/yaml");
    const document: unknown =
      parse(await files.readText(path, limits.maxConfigFileBytes), { schema: "core" }) ?? {};
    const { providers = {}, models = {} } = reader.record(document, "it", ["providers", "models"]);
    const file = {
      path,
      providers: reader.map(providers, "providers", readProvider),
      models: reader.map(models, "models", readFacts),
    };
    checkNames(file, reader);
    return file;
  } catch (error) {
    if (error instanceof SkepError) throw error;
    throw reader.fault("it", `be read: ${messageOf(error)}`);
  }
}

/** Refuses an entry that nothing would ever read: its provider's name is misspelt, or has no place. */
function checkNames(
  { providers, models }: Pick<OperatorFile, "providers" | "models">,
  reader: Reader,
): void {
  const known: readonly string[] = Object.keys(ENDPOINTS);
  for (const [name, { baseUrl, keyVariable }] of providers) {
    if (known.includes(name) && keyVariable !== undefined) {
      throw reader.fault(`providers.${name}`, "have no key_variable: its variables are its own");
    }
    if (name.includes(":")) {
      throw reader.fault(
        `providers."${name}"`,
        "have no colon in its name: what follows one is a model",
      );
    }
    if (known.includes(name) || baseUrl !== undefined) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? "" : `, or be called ${near}`;
    throw reader.fault(`providers.${name}`, `have a base_url, as a provider of your own${hint}`);
  }
  const all = [...known, ...providers.keys()];
  for (const id of models.keys()) {
    const colon = id.indexOf(":");
    const name = id.slice(0, Math.max(0, colon));
    if (colon < id.length - 1 && all.includes(name)) continue;
    const near = nearest(name, all);
    const hint = near === undefined ? `one of ${all.join(", ")}` : `such as ${near}`;
    throw reader.fault(
      `models."${id}"`,
      `be PROVIDER:MODEL, with a provider that there is: ${hint}`,
    );
  }
}

function readProvider(value: unknown, at: string, reader: Reader): OperatorProvider {
  const fields = reader.record(value, at, PROVIDER_FIELDS);
  const { key_command: command, limits } = fields;
  if (
    command !== undefined && (!Array.isArray(command) || command.length === 0 ||
      !command.every((word) => typeof word === "string" && word !== ""))
  ) {
    throw reader.fault(`${at}.key_command`, "be a list: a program and its arguments");
  }
  const text = (name: string) => reader.text(fields[name], `${at}.${name}`);
  const baseUrl = text("base_url");
  const keyVariable = text("key_variable");
  if (keyVariable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(keyVariable)) {
    throw reader.fault(`${at}.key_variable`, "be the name of a variable");
  }
  return present({
    keyFile: text("key_file"),
    keyCommand: command as readonly string[] | undefined,
    baseUrl: baseUrl && reader.url(baseUrl, `${at}.base_url`),
    keyVariable,
    limits: limits === undefined ? undefined : readLimits(limits, `${at}.limits`, reader),
  });
}

function readLimits(value: unknown, at: string, reader: Reader): GateLimits {
  const names = ["concurrent", "requests_per_minute", "tokens_per_minute"];
  const fields = reader.record(value, at, names);
  return present({
    concurrent: reader.count(fields.concurrent, `${at}.concurrent`),
    requestsPerMinute: reader.count(fields.requests_per_minute, `${at}.requests_per_minute`),
    tokensPerMinute: reader.count(fields.tokens_per_minute, `${at}.tokens_per_minute`),
  });
}

function readFacts(value: unknown, at: string, reader: Reader): Partial<ModelFacts> {
  const fields = reader.record(value, at, [
    "context_tokens",
    "max_output_tokens",
    "images",
    "prices",
    "efforts",
  ]);
  const { images, prices, efforts } = fields;
  if (images !== undefined && typeof images !== "boolean") {
    throw reader.fault(`${at}.images`, "be true or false");
  }
  return present({
    contextTokens: reader.count(fields.context_tokens, `${at}.context_tokens`),
    maxOutputTokens: reader.count(fields.max_output_tokens, `${at}.max_output_tokens`),
    takesImages: images,
    prices: prices === undefined ? undefined : readPrices(prices, `${at}.prices`, reader),
    efforts: efforts === undefined ? undefined : readEfforts(efforts, `${at}.efforts`, reader),
  });
}

function readPrices(value: unknown, at: string, reader: Reader): Prices {
  const names = ["input", "output", "cached_input", "cache_write"];
  const fields = reader.record(value, at, names);
  const price = (name: string) => reader.price(fields[name], `${at}.${name}`);
  const input = price("input");
  const output = price("output");
  if (input === undefined || output === undefined) {
    throw reader.fault(at, "have input and output, in US dollars for a million tokens");
  }
  const cached = { cachedInput: price("cached_input"), cacheWrite: price("cache_write") };
  return { input, output, ...present(cached) };
}

function readEfforts(value: unknown, at: string, reader: Reader): readonly Effort[] {
  if (!Array.isArray(value)) throw reader.fault(at, "be a list of efforts");
  return value.flatMap((word) => parseEffort(String(word), `${at} of ${reader.path}`) ?? []);
}

/** Reads values of the file, and says which one is at fault. */
class Reader {
  constructor(readonly path: string) {}

  fault(at: string, wanted: string): SkepError {
    const message = `Cannot use ${this.path}: ${at} must ${wanted}`;
    return new SkepError("CONFIG_INVALID", message, { source: this.path });
  }

  record(value: unknown, at: string, known: readonly string[]): Readonly<Record<string, unknown>> {
    if (!isRecord(value)) throw this.fault(at, `be a map of ${known.join(", ")}`);
    const other = Object.keys(value).find((name) => !known.includes(name));
    if (other !== undefined) throw this.fault(at, `have no "${other}", but ${known.join(", ")}`);
    return value;
  }

  map<T>(
    value: unknown,
    at: string,
    read: (value: unknown, at: string, reader: Reader) => T,
  ): ReadonlyMap<string, T> {
    if (!isRecord(value)) throw this.fault(at, "be a map");
    return new Map(
      Object.entries(value).map(([name, entry]) => [name, read(entry, `${at}.${name}`, this)]),
    );
  }

  url(text: string, at: string): string {
    const refuse = (why: string) => {
      const message = `Cannot use ${this.path}: ${at}${why}`;
      return new SkepError("CONFIG_INVALID", message, { source: this.path });
    };
    return parseBaseUrl(text, refuse, "key_file, key_command or key_variable");
  }

  text(value: unknown, at: string): string | undefined {
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    throw this.fault(at, "be a text");
  }

  count(value: unknown, at: string): number | undefined {
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) {
      return value as number | undefined;
    }
    throw this.fault(at, "be a whole number, at least 1");
  }

  price(value: unknown, at: string): number | undefined {
    if (value === undefined || (typeof value === "number" && value >= 0)) return value;
    throw this.fault(at, "be US dollars for a million tokens");
  }
}

/** The fields that are there: an absent one is not the same as one that is undefined. */
function present<T extends object>(
  fields: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

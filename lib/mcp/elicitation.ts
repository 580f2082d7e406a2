import * as z from "zod";
import type { Limits } from "../limits.ts";
import { isObject } from "./message.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a server asks a person, in the middle of a call. */
export type Elicitation =
  & {
    /** The server that asks, which the person must see. */
    readonly server: string;
    readonly message: string;
  }
  & (
    /** Some values, as `schema` describes them: an object of plain fields. */
    | { readonly mode: "form"; readonly schema: Json }
    /** To go to a page, where the rest happens between the person and that. */
    | { readonly mode: "url"; readonly url: string; readonly id: string }
  );

/** What the person said. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Json }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Asks a person for a server. */
export interface Elicitor {
  /** What can be asked. */
  readonly modes: readonly Elicitation["mode"][];
  /** @throws {SkepError} `CANCELLED` as soon as the signal is aborted. */
  ask(question: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
}

/** A server asks a person something. @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation */
export const ELICIT_REQUEST = z.looseObject({
  method: z.literal("elicitation/create"),
  params: z.unknown().optional(),
});

/** The question in such a request; undefined when it asks for nothing that could be answered, or too much. */
export function readElicitation(
  server: string,
  params: unknown,
  { maxQuestionCharacters }: Pick<Limits, "maxQuestionCharacters">,
): Elicitation | undefined {
  const { message, mode = "form", requestedSchema, url, elicitationId } = isObject(params)
    ? params
    : {};
  if (typeof message !== "string") return undefined;
  const length = message.length +
    (mode === "url" ? String(url) : JSON.stringify(requestedSchema) ?? "").length;
  if (length > maxQuestionCharacters) return undefined;
  if (mode === "form" && isObject(requestedSchema)) {
    return { server, message, mode, schema: requestedSchema };
  }
  if (mode !== "url" || typeof url !== "string" || !URL.canParse(url)) return undefined;
  // A page that a person is sent to is one on the web: no file, no program.
  if (!/^https?:$/.test(new URL(url).protocol)) return undefined;
  return { server, message, mode, url, id: String(elicitationId ?? "") };
}

/**
 * An answer as the server gets it: of what was filled in, the fields that were asked for, and for a field that
 * was left out what the server said would be meant.
 */
export function toElicitResult(question: Elicitation, answer: ElicitationAnswer): Json {
  if (answer.action !== "accept" || question.mode !== "form") return { action: answer.action };
  const fields = isObject(question.schema.properties) ? question.schema.properties : {};
  const given = answer.content ?? {};
  const content = Object.entries(fields).flatMap(([name, field]) => {
    const value = given[name] ?? (isObject(field) ? field.default : undefined);
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return { action: "accept", content: Object.fromEntries(content) };
}

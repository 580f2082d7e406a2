import { isRecord } from "./is_record.ts";
import { NAMELESS } from "./reply.ts";
import type { ProviderFetch } from "./transport.ts";

/** What came of a call before its name did. */
interface Held {
  id: unknown;
  input: string;
}

/**
 * Chat Completions whose calls all have a name. The package drops a call with an empty one, and then gives
 * its arguments to another call. Here it waits for its name; one that gets none until the reply's
 * end is called {@linkcode NAMELESS}, which no tool is, so that it is answered as any other.
 */
export function withCallNames(send: ProviderFetch): ProviderFetch {
  return async (...request) => {
    const response = await send(...request);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(new TransformStream(new Namer()));
    return new Response(body, { status, statusText, headers });
  };
}

/** Bytes of an event stream, line by line; a line that is of no interest is left as it is. */
class Namer implements Transformer<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #named = new Set<unknown>();
  readonly #held = new Map<unknown, Held>();
  readonly #open: string[] = [];

  transform(
    bytes: Uint8Array<ArrayBuffer>,
    controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>,
  ): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0) return void this.#open.push(text);
    const lines = (this.#open.join("") + text.slice(0, end)).split("\n");
    this.#open.splice(0, this.#open.length, text.slice(end));
    const named = lines.map((line) => this.#line(line)).join("\n");
    controller.enqueue(this.#encoder.encode(named));
  }

  flush(controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    const rest = this.#open.join("") + this.#decoder.decode();
    if (rest !== "") controller.enqueue(this.#encoder.encode(this.#line(rest)));
  }

  #line(line: string): string {
    const isOfInterest = line.includes('"tool_calls"') ||
      (this.#held.size > 0 && line.includes('"finish_reason"'));
    if (!isOfInterest || !line.startsWith("data:")) return line;
    const event = parse(line.slice("data:".length));
    const choice = isRecord(event) && Array.isArray(event.choices) ? event.choices[0] : undefined;
    if (!isRecord(choice)) return line;
    const delta = isRecord(choice.delta) ? choice.delta : {};
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    const isEnd = typeof choice.finish_reason === "string";
    const named = [
      ...calls.flatMap((call) => this.#increment(call)),
      ...(isEnd ? this.#rest() : []),
    ];
    if (named.length === calls.length && named.every((call, at) => call === calls[at])) return line;
    const { tool_calls: _, ...others } = delta;
    const changed = { ...others, ...(named.length === 0 ? {} : { tool_calls: named }) };
    return `data: ${
      JSON.stringify({ ...event as object, choices: [{ ...choice, delta: changed }] })
    }`;
  }

  /** An increment as it goes on: itself, with what was held of its call, or not yet. */
  #increment(call: unknown): unknown[] {
    if (!isRecord(call) || typeof call.index !== "number" || this.#named.has(call.index)) {
      return [call];
    }
    const { index, id } = call;
    const said = isRecord(call.function) ? call.function : {};
    const held = this.#held.get(index);
    const input = (held?.input ?? "") + (typeof said.arguments === "string" ? said.arguments : "");
    if (typeof said.name !== "string" || said.name.trim() === "") {
      this.#held.set(index, { id: held?.id ?? id, input });
      return [];
    }
    this.#named.add(index);
    this.#held.delete(index);
    if (held === undefined) return [call];
    return [{ ...call, id: id ?? held.id, function: { ...said, arguments: input } }];
  }

  #rest(): unknown[] {
    const rest = [...this.#held].map(([index, { id, input }]) => ({
      ...{ index, id, type: "function" },
      function: { name: NAMELESS, arguments: input },
    }));
    this.#held.clear();
    return rest;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the package says what is wrong with it
  }
}

import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { CallResult } from "../mcp/registry.ts";
import type { Image, Message, Text } from "../model/message.ts";
import type { TurnTools } from "../turn/run.ts";
import type { Admit } from "./admission.ts";
import { hookVerdict } from "./hook_verdict.ts";
import type { HookName } from "./hook_settings.ts";
import type { HookAnswer, HookFacts, Hooks } from "./hooks.ts";
import { hookBlock, isDecision, type Objection, objectionMessages } from "./objections.ts";
import type { ReplyGuard } from "./reply_guard.ts";

/** What a compaction came to, for the hooks that ask for it. */
export interface Compacted {
  readonly summary: string;
  /** Messages that the summary stands for. */
  readonly droppedItems: number;
}

/** Whoever asks hooks. */
export type Asks = Pick<Hooks, "run" | "has" | "closed">;

/** The hooks of one session: when each is called, and what its words do. */
export class SessionHooks {
  readonly #hooks: Asks;
  readonly #sessionId: string;
  /** What was said at the session's start: it goes before the first prompt. */
  #opening: Promise<Text[]> | undefined;

  constructor(hooks: Asks, sessionId: string) {
    this.#hooks = hooks;
    this.#sessionId = sessionId;
  }

  /** `_SessionStart`: asked while nothing waits for it. */
  start(cwd: string, signal: AbortSignal): void {
    const answers = this.#run("_SessionStart", { cwd }, signal);
    this.#opening = answers.then((each) => blocks("_SessionStart", each), () => []); // left already
  }

  /**
   * `_UserPromptSubmit`: the prompt with what hooks add to it, which no person said and is marked so.
   *
   * @throws {SkepError} `PROMPT_DENIED`; `CANCELLED` when the signal was aborted.
   */
  async submit(
    content: readonly (Text | Image)[],
    signal: AbortSignal,
  ): Promise<readonly (Text | Image)[]> {
    const opening = await this.#opening ?? [];
    this.#opening = undefined;
    const prompt = content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
    const answers = await this.#run("_UserPromptSubmit", { prompt }, signal);
    const verdict = hookVerdict(answers);
    if (verdict !== undefined) {
      const { server, reason } = verdict;
      const message = `The prompt was refused by server "${server}": ${reason}`;
      throw new SkepError("PROMPT_DENIED", message, { server });
    }
    return [...opening, ...content, ...blocks("_UserPromptSubmit", answers)];
  }

  /** `_PreToolUse`: why a call is not run. */
  readonly beforeCall: Admit = async ({ name: tool }, args, signal) => {
    const facts = { tool, arguments: args };
    const verdict = hookVerdict(await this.#run("_PreToolUse", facts, signal));
    if (verdict === undefined) return undefined;
    return `${tool} was not run: denied by a hook of server "${verdict.server}": ${verdict.reason}`;
  };

  /**
   * `_PostToolUse`: what is added to a result, or put in its place. One that a security hook had no time to
   * judge is withheld.
   */
  readonly review: NonNullable<TurnTools["review"]> = (tool, args, result, signal) => {
    if (!this.#hooks.has("_PostToolUse")) return undefined;
    const text = result.content.flatMap((block) => block.type === "text" ? [block.text] : [])
      .join("\n");
    const facts = { tool, arguments: args, result: text, isError: result.isError };
    const judge = this.#hooks.closed("_PostToolUse")[0];
    const reason = "the turn ended before the hook had judged it";
    return {
      unreviewed: judge === undefined ? result : withheld(tool, { server: judge, reason }),
      reviewed: this.#run("_PostToolUse", facts, signal).then((answers) => {
        const verdict = hookVerdict(answers);
        if (verdict !== undefined) return withheld(tool, verdict);
        return { ...result, content: [...result.content, ...blocks("_PostToolUse", answers)] };
      }),
    };
  };

  /** `_Stop`, and the reply guard: what speaks against the turn's end, as messages for the model. */
  async objections(
    idPrefix: string,
    hasTools: boolean,
    guard: ReplyGuard | undefined,
    signal: AbortSignal,
  ): Promise<Message[]> {
    const said = spoken("_Stop", await this.#run("_Stop", {}, signal));
    const reminder = guard?.remind();
    const own: Objection[] = reminder === undefined
      ? []
      : [{ server: "skep", hook: "_Stop", text: reminder }];
    return objectionMessages([...said, ...own], idPrefix, hasTools);
  }

  /**
   * `_PostCompact`: what must not be forgotten, as a part of the message that holds the summary;
   * undefined when nothing was said.
   */
  async postCompact(compacted: Compacted, signal: AbortSignal): Promise<string | undefined> {
    const said = spoken("_PostCompact", await this.#run("_PostCompact", { ...compacted }, signal));
    if (said.length === 0) return undefined;
    const parts = said.map(({ server, text }) => `[${server}]\n${text}`);
    return `[Post-compact hook output — untrusted]\n${parts.join("\n\n")}`;
  }

  /** `_SessionEnd`: servers hear of it before they are stopped; it waits for none of them longer than `ms`. */
  async end(ms: number, { sleep }: Pick<Host, "sleep">): Promise<void> {
    const [late, timer] = [new AbortController(), new AbortController()];
    const waiting = sleep(ms, timer.signal).then(() => late.abort(), () => {});
    await this.#run("_SessionEnd", {}, late.signal).catch(() => {}); // nothing comes after it
    timer.abort();
    await waiting;
  }

  #run(hook: HookName, facts: HookFacts, signal: AbortSignal): Promise<HookAnswer[]> {
    return this.#hooks.run(hook, { sessionId: this.#sessionId, ...facts }, signal);
  }
}

/** What counts of the answers: words that are not blank. */
function spoken(hook: HookName, answers: readonly HookAnswer[]): Objection[] {
  return answers.flatMap((answer) =>
    "text" in answer && answer.text.trim() !== ""
      ? [{ server: answer.server, hook, text: answer.text }]
      : []
  );
}

function blocks(hook: HookName, answers: readonly HookAnswer[]): Text[] {
  return spoken(hook, answers).filter(({ text }) => !isDecision(text)).map(hookBlock);
}

function withheld(
  tool: string,
  { server, reason }: { readonly server: string; readonly reason: string },
): CallResult {
  const text =
    `${tool} was run, and its result is withheld by a hook of server "${server}": ${reason}`;
  return { isError: true, content: [{ type: "text", text }] };
}

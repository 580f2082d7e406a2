import { SkepError } from "../errors.ts";
import { decide, type Decision } from "./decide.ts";
import type { ApprovalCall, Rule, Rules } from "./rules.ts";
import { type Scope, scopeOf } from "./scopes.ts";
import { showArguments } from "./show_exactly.ts";

/** What a person is asked. */
export interface Question extends ApprovalCall {
  readonly callId: string;
  /** The arguments exactly as they will be used, nothing cut, nothing hidden. */
  readonly shown: string;
  /** Which rule asks. */
  readonly reason: string;
  /** What may be allowed for longer than this once. */
  readonly scope?: Scope;
  /** An answer `always` is kept beyond the session. */
  readonly canBeKept: boolean;
}

/** What a person answers. */
export type Answer =
  | { readonly kind: "once" }
  /** All of the question's scope, until the session ends. */
  | { readonly kind: "session" }
  /** All of the question's scope, from now on. */
  | { readonly kind: "always" }
  | { readonly kind: "deny" }
  /** Nobody was asked: the client cannot, or the question does not fit. */
  | { readonly kind: "unasked" };

/** Asks a person. @throws {SkepError} `CANCELLED` as soon as the signal is aborted. */
export type Approver = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** What decides about the calls of a session. */
export interface ApprovalOptions {
  readonly rules: readonly Rules[];
  /** Absent: nobody is there, and what would be asked is denied. */
  readonly approver?: Approver;
  /** What was allowed for ever before. */
  readonly kept?: readonly Rule[];
  /** Keeps what was allowed for ever; absent: that is not offered. */
  readonly remember?: (rules: readonly Rule[]) => Promise<void>;
}

/** Whether a call may run; when it may not, why, as the model is told. */
export type Verdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly reason: string };

/** The approvals of one session: its rules, and what a person allowed while it ran. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #given: Rule[];
  /** One question at a time: an answer may settle the next one. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.#given = [...options.kept ?? []];
  }

  /**
   * Decides about one call, asking if a rule says so. Only a person's answer makes `ask` an allow.
   *
   * @throws {SkepError} `CANCELLED` when the signal was aborted, whatever is answered then.
   */
  async check(
    call: ApprovalCall & { readonly callId: string },
    signal: AbortSignal,
  ): Promise<Verdict> {
    const said = decide(this.#options.rules, call);
    if (said.action === "allow") return { isAllowed: true };
    if (said.action === "deny") return denied(`denied by a rule: ${said.reason}`);
    const asked = this.#asking.then(() => this.#ask(call, said, signal));
    this.#asking = asked.catch(() => {}); // its error goes to whoever asked
    return await asked;
  }

  async #ask(
    call: ApprovalCall & { readonly callId: string },
    { reason }: Decision,
    signal: AbortSignal,
  ): Promise<Verdict> {
    if (signal.aborted) throw cancelled();
    if (this.#isGiven(call)) return { isAllowed: true };
    const { approver, remember } = this.#options;
    if (approver === undefined) return unapproved(reason);
    const wide = scopeOf(call);
    // One that would not cover this very call would be an answer that does nothing.
    const scope = this.#isGiven(call, wide?.rules) ? wide : undefined;
    const answer = await approver({
      ...call,
      shown: showArguments(call.args),
      reason,
      ...(scope === undefined ? {} : { scope }),
      canBeKept: remember !== undefined && scope !== undefined,
    }, signal);
    if (signal.aborted) throw cancelled();
    switch (answer.kind) {
      case "once":
        return { isAllowed: true };
      case "session":
        this.#given.push(...scope?.rules ?? []);
        return { isAllowed: true };
      case "always":
        this.#given.push(...scope?.rules ?? []);
        await remember?.(scope?.rules ?? []);
        return { isAllowed: true };
      case "deny":
        return denied("denied by the person who was asked. Do not try it another way: ask them.");
      case "unasked":
        return unapproved(reason);
      default:
        return answer satisfies never;
    }
  }

  /** Everything that the call does was allowed before: what no given rule speaks of was not. */
  #isGiven(call: ApprovalCall, more: readonly Rule[] = []): boolean {
    const rules = [...this.#given, ...more];
    return decide([{ source: "", rules }], call, UNSPOKEN).action === "allow";
  }
}

const UNSPOKEN: Decision = { action: "ask", reason: "" };

function denied(reason: string): Verdict {
  return { isAllowed: false, reason };
}

function unapproved(reason: string): Verdict {
  return denied(`denied: it needs a person's approval and there is no approver here (${reason})`);
}

function cancelled(): SkepError {
  return new SkepError("CANCELLED", "The call was cancelled while it waited for approval", {});
}

import type { Approver } from "../approval/approvals.ts";
import { watchPackageManager } from "../acp/watch_parent.ts";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";
import type { Elicitor } from "../mcp/elicitation.ts";
import type { TerminalQuestions } from "./ask_in_terminal.ts";
import { answerOnce } from "./chat_once.ts";
import type { Invocation } from "./flags.ts";
import { prepareRun } from "./prepare_run.ts";
import { readInput } from "./read_input.ts";
import { resumed, withPersonaOf } from "./resumed.ts";
import { untilSignal } from "./stopping.ts";

/** `skep chat`: a conversation in the terminal, or one answer for `-p TEXT` or piped stdin. */
export async function run(asked: Invocation, host: Host): Promise<number> {
  const given = asked.value("prompt");
  const isInteractive = given === undefined && host.isTerminal("stdin");
  if (isInteractive && asked.has("json")) {
    const message =
      "Cannot talk in JSON: skep chat --json answers one prompt, from -p TEXT or stdin";
    throw new SkepError("USAGE", message, { argument: "--json" });
  }
  return await untilSignal(host, async (signal) => {
    const { invocation, resume, info } = await resumed(asked, host);
    await using run = await prepareRun(invocation, host).catch((error) => {
      throw asked.value("persona") === undefined ? withPersonaOf(info, error) : error;
    });
    const { cwd, isJson } = run.settings;
    const prompt = isInteractive ? undefined : await onePrompt(given, host, signal);
    if (isInteractive) {
      const { askConsent } = await import("./ask_consent.ts");
      await run.consent.require(askConsent(run, host, signal));
    }
    const questions: TerminalQuestions = {};
    const ask: Approver = (...question) =>
      questions.approver?.(...question) ?? Promise.resolve({ kind: "deny" });
    const elicitor: Elicitor = {
      modes: ["form", "url"],
      ask: (...question) =>
        questions.elicitor?.ask(...question) ?? Promise.resolve({ action: "cancel" }),
    };
    const asking = isInteractive ? { approver: ask, elicitor } : {};
    const more = { ...asking, ...(resume === undefined ? {} : { resume }) };
    const session = await run.open({ cwd, servers: [], signal, ...more });
    const cancel = () => session.cancel();
    signal.addEventListener("abort", cancel);
    try {
      signal.throwIfAborted();
      for (const notice of [...run.notices, ...session.notices]) host.warn(notice);
      if (prompt !== undefined) {
        await answerOnce(session, prompt, host, { isJson });
      } else {
        const { converse } = await import("./chat_terminal.ts");
        await converse(session, run.persona, host, signal, questions);
      }
    } finally {
      await session.close();
    }
    return 0;
  }, (onDeath, unwatch) => watchPackageManager(host, onDeath, LIMITS.watchParentMs.value, unwatch));
}

async function onePrompt(
  given: string | undefined,
  host: Host,
  signal: AbortSignal,
): Promise<string> {
  const text = given ?? await readInput(host.stdin, signal);
  if (text.trim() !== "") return text;
  const source = given === undefined ? "stdin" : "-p";
  throw new SkepError("USAGE", `There is nothing to answer: ${source} is empty`, {
    argument: source,
  });
}

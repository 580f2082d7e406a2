import type { Host } from "../host/host.ts";
import type { Session } from "../session/session.ts";
import type { TurnStop } from "../turn/update.ts";
import { AnswerPrinter } from "./answer_printer.ts";

/**
 * Runs one prompt and prints its answer as it comes; what ended the turn early is said on stderr. In
 * JSON the answer is one line at the end: `{"stop":"end_turn","text":"…"}`.
 *
 * @throws what the turn threw, or what kept the answer from being printed.
 */
export async function answerOnce(
  session: Session,
  prompt: string,
  host: Pick<Host, "print" | "warn" | "isTerminal">,
  { isJson }: { readonly isJson: boolean } = { isJson: false },
): Promise<void> {
  const texts: string[] = [];
  const collect = (text: string) => Promise.resolve(void texts.push(text));
  const { warn } = host;
  const output: typeof host = isJson
    ? { print: collect, warn, isTerminal: (name) => name !== "stdout" && host.isTerminal(name) }
    : host;
  const printer = new AnswerPrinter(output, () => session.cancel());
  try {
    const content = [{ type: "text", text: prompt }] as const;
    const stop = await session.prompt(content, (update) => printer.show(update));
    if (!isJson) printer.endLine(); // before the remark: both may go to one place
    await printer.flush();
    const remark = stopRemark(stop);
    if (remark !== undefined) printer.show({ type: "notice", text: `skep: ${remark}` });
    if (isJson) await host.print(`${JSON.stringify({ stop, text: texts.join("") })}\n`);
  } finally {
    printer.endLine();
    printer.showUsage();
    await printer.flush();
  }
}

/** What a person must know of a stop that is no plain end; undefined for one that is. */
function stopRemark(stop: TurnStop): string | undefined {
  switch (stop) {
    case "max_tokens":
      return "the answer is cut off: it reached the model's output limit (max_tokens)";
    case "max_turn_requests":
      return "the turn was ended at its round limit (max_turn_requests; SKEP_MAX_ROUNDS or the persona's limits set it)";
    case "refusal":
      return "the model refused to answer (refusal)";
    case "cancelled":
      return "cancelled";
    case "end_turn":
      return undefined;
    default:
      return stop satisfies never;
  }
}

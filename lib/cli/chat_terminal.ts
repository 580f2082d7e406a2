import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { messageOf } from "../errors.ts";
import { showExactly } from "../approval/show_exactly.ts";
import type { Host } from "../host/host.ts";
import type { Persona } from "../persona/persona.ts";
import { compactionText, NOTHING_TO_SUMMARISE } from "../turn/update.ts";
import type { Session } from "../session/session.ts";
import type { TerminalQuestions } from "./ask_in_terminal.ts";
import { answerOnce } from "./chat_once.ts";
import { chatServers } from "./chat_servers.ts";
import { terminalQuestions } from "./terminal_questions.ts";

const HELP = `Write to the persona; it answers with the tools it has.
  /exit        end the conversation (also ^D)
  /help        this text, and the model's own when it has one
  /compact     put a summary in the place of the older part of the conversation;
               /compact WORDS says what it is to keep above all
  /mcp         the servers: add, remove, off, on, reload
  /pin TEXT    keep this before the model, whatever is summarised
  ^C           stop the answer, or the start of a server, that is running; at the prompt, twice: end the conversation
`;

/** Talks in the terminal until the person leaves or the signal is aborted. Errors of a turn end only that turn. */
export async function converse(
  session: Session,
  persona: Persona,
  host: Host,
  signal: AbortSignal,
  questions: TerminalQuestions = {},
): Promise<void> {
  const { displayName, description, avatar } = persona;
  const header = [
    showExactly(`${displayName}: ${description}`),
    ...(avatar === undefined ? [] : [showExactly(`Picture: ${avatar}`)]),
    `Model ${session.modelId}, folder ${session.cwd}, ${session.tools().length} tools. /help for help.`,
  ];
  await host.print(`${header.join("\n")}\n`);
  const gone = new AbortController();
  // A terminal that is closed is an error of the streams, which would end the program with its servers
  // alive. The listeners stay: the last write may fail after this function has returned.
  for (const stream of [process.stdin, process.stdout]) stream.on("error", () => gone.abort());
  const over = AbortSignal.any([signal, gone.signal]);
  const editor = createInterface({ input: process.stdin, output: process.stdout, terminal: true });
  const lines = new Lines(editor, over);
  const terminal = { warn: host.warn, ask: (signal: AbortSignal) => lines.ask(signal) };
  Object.assign(questions, terminalQuestions(terminal));
  const talk = (signal: AbortSignal) => ({
    signal,
    print: host.print,
    ask: async (question: string) => {
      await host.print(`${question}\n`); // the prompt is drawn over what stands in its line
      return await lines.ask(signal);
    },
  });
  let changing: AbortController | undefined;
  let wasInterrupted = false;
  editor.on("SIGINT", () => {
    lines.forget();
    if (session.isRunning) return session.cancel();
    if (changing !== undefined) return changing.abort();
    if (wasInterrupted) return editor.close();
    wasInterrupted = true;
    process.stdout.write("\n(^C again, ^D or /exit to leave)\n");
    editor.prompt(true);
  });
  try {
    for (let line; (line = await lines.next()) !== undefined;) {
      wasInterrupted = false;
      const text = line.trim();
      if (text === "/exit" || text === "/quit") return;
      if (text === "/help") await host.print(HELP);
      if (/^\/(compact|pin)(\s|$)/.test(text)) {
        await keepSmall(session, text, host)
          .catch((error) => host.warn(`skep: ${messageOf(error)}`));
        continue;
      }
      changing = new AbortController();
      const isTaken = await chatServers(
        text,
        session.mcp,
        talk(AbortSignal.any([over, changing.signal])),
      );
      changing = undefined;
      if (isTaken) continue;
      if (text === "" || (text === "/help" && session.modelId !== "offline")) continue;
      await answerOnce(session, line, host)
        .catch((error) => host.warn(`skep: ${messageOf(error)}`)); // the conversation goes on
    }
  } finally {
    editor.close();
  }
}

async function keepSmall(
  session: Session,
  text: string,
  { warn }: Pick<Host, "warn">,
): Promise<void> {
  const [, command, words = ""] = /^\/(\w+)\s*(.*)$/s.exec(text) ?? [];
  if (command === "pin") {
    if (words === "") return warn("/pin needs a text to keep: /pin TEXT");
    await session.pin(words);
    return warn("Pinned: the model has it before it, whatever is summarised");
  }
  let told: string | undefined;
  const isShorter = await session.compact((update) => {
    if (update.type === "compaction") told = compactionText(update.compaction);
  }, { focus: words });
  warn(told ?? (isShorter ? "The context was compacted" : NOTHING_TO_SUMMARISE));
}

/** The lines that a person types, those too that come while an answer runs, as of a text that was pasted. */
class Lines {
  readonly #editor: Interface;
  readonly #over: AbortSignal;
  readonly #typed: string[] = [];
  #isClosed = false;
  #wake = () => {};

  constructor(editor: Interface, over: AbortSignal) {
    this.#editor = editor;
    this.#over = over;
    editor.setPrompt("> ");
    editor.on("line", (line) => {
      this.#typed.push(line);
      this.#wake();
    });
    editor.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
    over.addEventListener("abort", () => this.#wake());
  }

  /** The next line that is typed from now on: what was pasted before answers no question. */
  async ask(signal: AbortSignal): Promise<string | undefined> {
    this.forget();
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      return await this.next(signal);
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  /** The next line; undefined when the person, the terminal or a signal has ended the conversation. */
  async next(signal?: AbortSignal): Promise<string | undefined> {
    const isOver = () =>
      this.#over.aborted || signal?.aborted === true ||
      (this.#isClosed && this.#typed.length === 0);
    if (!isOver() && this.#typed.length === 0) this.#editor.prompt();
    while (!isOver() && this.#typed.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return isOver() ? undefined : this.#typed.shift();
  }

  /** Drops what was typed and not read. */
  forget(): void {
    this.#typed.length = 0;
  }
}

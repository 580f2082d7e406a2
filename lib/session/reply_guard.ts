import type { CallResult } from "../mcp/registry.ts";
import type { TurnTools } from "../turn/run.ts";

/** Commands of a shell that publish something people read. */
const PUBLISHING = ["messages send", "reactions add"];
const REMINDER =
  "Nobody sees what you write here: people read only what you publish. If someone waits " +
  "for an answer, publish it now (a tool that does, or `buzz messages send` in the shell). If you have " +
  "done so already, or if silence is right, end again.";

/** Reminds a model, before its turn ends, that it has published nothing. One for each turn. */
export class ReplyGuard {
  readonly #maxReminders: number;
  readonly #publishes: (tool: string) => boolean;
  #reminders = 0;
  #hasReplied = false;

  /**
   * @param maxReminders Of the turn.
   * @param publishes Tells whether a call of that tool publishes something once it succeeds.
   */
  constructor(maxReminders: number, publishes: (tool: string) => boolean) {
    this.#maxReminders = maxReminders;
    this.#publishes = publishes;
  }

  /** The tools, their calls watched. */
  watch(tools: TurnTools): TurnTools {
    return {
      ...tools,
      call: async (name, args, ...more) => {
        const result = await tools.call(name, args, ...more);
        this.see(name, args, result);
        return result;
      },
    };
  }

  /** Takes note of a call that was run: a shell command by what it says, a tool that publishes by what came of it. */
  see(tool: string, args: Readonly<Record<string, unknown>>, result: CallResult): void {
    const { command } = args;
    const isCommand = tool.endsWith("__shell") && typeof command === "string" &&
      PUBLISHING.some((words) => command.includes(words));
    if (isCommand || (!result.isError && this.#publishes(tool))) this.#hasReplied = true;
  }

  /** The reminder that is due; undefined when something was published, or enough was said. */
  remind(): string | undefined {
    if (this.#hasReplied || this.#reminders >= this.#maxReminders) return undefined;
    this.#reminders++;
    return REMINDER;
  }
}

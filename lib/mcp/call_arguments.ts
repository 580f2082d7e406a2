import type { Limits } from "../limits.ts";
import type { ArgumentChecker } from "./argument_checker.ts";
import { undelivered } from "./call_result.ts";
import type { CallResult, ToolFacts } from "./registry.ts";
import type { ServerLog } from "./server_log.ts";
import type { ListedTool } from "./tool_list.ts";
import { wantedArguments } from "./wanted_arguments.ts";

/** Checks the arguments of calls against the schemas of their tools, which it reads once each. */
export class CallArguments {
  readonly #limits: Pick<Limits, "maxCheckedDepth" | "maxCheckSteps">;
  readonly #onLog: (line: ServerLog) => void;
  readonly #checkers = new WeakMap<ListedTool, ArgumentChecker>();

  /** @param onLog Is told when arguments went to their server unchecked, and why. */
  constructor(
    limits: Pick<Limits, "maxCheckedDepth" | "maxCheckSteps">,
    onLog: (line: ServerLog) => void,
  ) {
    this.#limits = limits;
    this.#onLog = onLog;
  }

  /**
   * A result that tells the model what was wrong and what is wanted; undefined when the call may go to
   * its server, which is so too when nothing can be told of it, or the server reads them leniently.
   */
  async refusal(
    { server, name }: Pick<ToolFacts, "server" | "name">,
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
  ): Promise<CallResult | undefined> {
    if (tool.readsLeniently === true) return undefined;
    const checked = (await this.#checkerOf(tool)).check(args);
    if (checked.kind === "unknown") {
      const text = `The arguments of ${name} were not checked: ${checked.why}`;
      this.#onLog({ server, kind: "health", text });
    }
    if (checked.kind !== "wrong") return undefined;
    const refused = undelivered(
      `The arguments of ${name} do not fit, so it was not called:\n${
        checked.problems.map((problem) => `- ${problem}`).join("\n")
      }\nIt takes ${wantedArguments(tool.inputSchema)}`,
    );
    return { ...refused, isMisfit: true };
  }

  /** What of a tool's arguments is not checked, as clauses about it. */
  async notes(tool: ListedTool): Promise<readonly string[]> {
    const { unchecked, problem } = await this.#checkerOf(tool);
    if (problem !== undefined) return [`its arguments are not checked: ${problem}`];
    if (unchecked.includes("x-skep-unchecked")) return ["its arguments are not checked"];
    // A format is a remark, by the standard: hardly anybody expects it to be checked.
    const told = unchecked.filter((keyword) => keyword !== "format").toSorted();
    return told.length === 0 ? [] : [`of its schema is not checked: ${told.join(", ")}`];
  }

  async #checkerOf(tool: ListedTool): Promise<ArgumentChecker> {
    const known = this.#checkers.get(tool);
    if (known !== undefined) return known;
    // Loaded with the first call: no start waits for it.
    const { ArgumentChecker } = await import("./argument_checker.ts");
    const checker = new ArgumentChecker(tool.fullSchema ?? tool.inputSchema, this.#limits);
    this.#checkers.set(tool, checker);
    return checker;
  }
}

import { SkepError } from "../../lib/errors.ts";
import type { Limits } from "../../lib/limits.ts";
import { type Arguments, type ArgumentsSchema, readArguments } from "./arguments.ts";
import type { HostEditor } from "./host_editor.ts";
import type { ServerState } from "./server_state.ts";
import type { World } from "./world.ts";

/** What every call has at hand. */
export interface ServerContext {
  /** The folder that the server was started in: absolute, canonical. */
  readonly cwd: string;
  /** Another path of that folder, through a link, by which callers may know it. */
  readonly named?: string;
  /** The private home folder, which `~` in a path means; undefined when the server has none. */
  readonly home: string | undefined;
  readonly limits: Limits;
  readonly world: World;
  readonly fetch: typeof fetch;
  readonly state: ServerState;
  /** Nobody could look after a command in the background: `shell_job` is switched off. */
  readonly isWithoutJobs?: boolean;
  /** The words that run one of the program's own commands, such as `rg`, outside of this process. */
  ownCommand(name: string): readonly string[];
}

/** What one call has at hand, beside its arguments. */
export interface ToolContext extends ServerContext {
  /** The tool's name, for messages. */
  readonly tool: string;
  /** The person's editor, where the host lends it. */
  readonly editor: Pick<HostEditor, "read" | "write"> | undefined;
  /** Tells the host that the call still runs, and how far it is; nothing when the host did not ask. */
  progress(message: string): void;
}

/** An image for the model, in base64. */
export interface ToolImage {
  readonly data: string;
  readonly mimeType: string;
}

/** What a call came to. A tool that cannot do what was asked throws instead: {@linkcode failed}. */
export interface ToolOutput {
  readonly text: string;
  /** The work was done and ended badly, such as a command that ran out of time. */
  readonly isError?: boolean;
  readonly images?: readonly ToolImage[];
  /** The same for programs, such as an editor: it has nothing that a model needs beside the text. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The file that has all of a text whose middle is left out: a host may keep it. */
  readonly whole?: string;
}

/** What a host may assume of a tool. @see https://modelcontextprotocol.io/specification */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool of this server. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: ArgumentsSchema;
  readonly annotations: ToolAnnotations;
  /**
   * @param args As they came from the host, unchecked.
   * @throws {SkepError} `TOOL_FAILED` with a text that the model can act on; `ACCESS_DENIED`.
   */
  run(args: unknown, context: ToolContext, signal: AbortSignal): Promise<ToolOutput>;
}

/** A {@linkcode Tool} as its file writes it: the arguments are typed by the schema. */
export type ToolOf<S extends ArgumentsSchema> = Omit<Tool, "schema" | "run"> & {
  readonly schema: S;
  run(args: Arguments<S>, context: ToolContext, signal: AbortSignal): Promise<ToolOutput>;
};

/** Makes a {@linkcode Tool} whose arguments are read and checked before it runs. */
export function defineTool<const S extends ArgumentsSchema>(tool: ToolOf<S>): Tool {
  return {
    ...tool,
    run: async (args, context, signal) =>
      await tool.run(readArguments(tool.name, tool.schema, args), context, signal),
  };
}

/** The error of a call that cannot be done. The message names the thing, its value, and what was wanted. */
export function failed(
  { tool }: Pick<ToolContext, "tool">,
  message: string,
  cause?: unknown,
): SkepError<"TOOL_FAILED"> {
  return new SkepError("TOOL_FAILED", message, { tool }, { cause });
}

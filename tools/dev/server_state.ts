import { join } from "@std/path";
import type { Limits } from "../../lib/limits.ts";
import { Artifacts } from "./artifacts.ts";
import { Guards } from "./guards.ts";
import { Resizer } from "./image/resizer.ts";
import { Jobs } from "./jobs.ts";
import { PathLocks } from "./path_locks.ts";
import { ReadLog } from "./read_log.ts";
import { checkTodos, type Todo, TODO_STATUSES } from "./todo_list.ts";
import type { World } from "./world.ts";

/** What a server knows from one call to the next. One server serves one session. */
export class ServerState implements AsyncDisposable {
  readonly reads: ReadLog;
  readonly locks: PathLocks = new PathLocks();
  readonly guards: Guards;
  readonly jobs: Jobs;
  readonly resizer: Resizer;
  /** Where long outputs are kept; undefined when there is no folder for them. */
  readonly artifacts: Artifacts | undefined;
  #todos: readonly Todo[] = [];

  /** @param scratch The server's own folder; undefined when it has none, then nothing outlives it. */
  private constructor(
    readonly scratch: string | undefined,
    limits: Limits,
    private readonly world: World,
  ) {
    this.reads = new ReadLog(limits.maxSeenFiles);
    this.guards = new Guards(scratch, world);
    this.jobs = new Jobs(limits.maxShellJobs);
    this.resizer = new Resizer(world);
    this.artifacts = scratch === undefined
      ? undefined
      : new Artifacts(join(scratch, "artifacts"), limits, world);
  }

  /** Opens the state, with the plan that a server of the same session before this one left behind. */
  static async open(
    scratch: string | undefined,
    limits: Limits,
    world: World,
  ): Promise<ServerState> {
    const state = new ServerState(scratch, limits, world);
    if (scratch === undefined) return state;
    const left = await world.readTextFile(join(scratch, TODO_FILE)).then(parsed, () => undefined);
    const checked = checkTodos(left ?? [], limits.maxTodos, limits.maxTodoCharacters);
    if ("todos" in checked) state.#todos = checked.todos;
    return state;
  }

  /** The plan of the session. */
  get todos(): readonly Todo[] {
    return this.#todos;
  }

  /** Replaces the plan. It is kept in a file too, for the server that follows when this one crashes. */
  async setTodos(todos: readonly Todo[]): Promise<void> {
    this.#todos = todos;
    if (this.scratch === undefined) return;
    const text = JSON.stringify(todos);
    // A full disk is no reason to refuse a plan: then it lives as long as this process.
    await this.world.writeTextFile(join(this.scratch, TODO_FILE), text, { mode: 0o600 })
      .catch(() => {});
  }

  /** Ends what runs in the background, and what waits there. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.resizer[Symbol.dispose]();
    await this.jobs.end();
    await this.guards[Symbol.asyncDispose]();
  }
}

const TODO_FILE = "todo.json";

/** Undefined for a file that was cut off in the middle. */
function parsed(text: string): Todo[] | undefined {
  try {
    const todos: unknown = JSON.parse(text);
    return Array.isArray(todos) && todos.every(isTodo) ? todos : undefined;
  } catch {
    return undefined; // a crash while it was written: the plan is lost, not the server
  }
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== "object" || value === null) return false;
  const { text, status } = value as Partial<Record<keyof Todo, unknown>>;
  return typeof text === "string" && TODO_STATUSES.some((known) => known === status);
}

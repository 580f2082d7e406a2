import type { CommandOutput } from "./command_output.ts";
import type { GroupResult } from "./run_in_group.ts";

/** A command that runs in the background, or has ended there. */
export interface Job {
  readonly id: string;
  readonly command: string;
  readonly startMs: number;
  readonly output: CommandOutput;
  /** Resolves when it has ended and all of its output was taken. */
  readonly ended: Promise<void>;
  /** How it ended, once it has; a text when it could not be run. */
  result(): GroupResult | string | undefined;
  kill(): void;
}

/** The commands in the background of one session. What has ended stays until its place is needed. */
export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #count = 0;

  /** @param maxJobs Most jobs that run at once. */
  constructor(private readonly maxJobs: number) {}

  /** True when no further job may be started. */
  get isFull(): boolean {
    return this.#running().length >= this.maxJobs;
  }

  /** All of them, the oldest first. */
  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** Starts one. `run` gets the signal that ends it. */
  start(
    command: string,
    output: CommandOutput,
    run: (signal: AbortSignal) => Promise<GroupResult>,
  ): Job {
    const stop = new AbortController();
    let result: GroupResult | string | undefined;
    const ended = run(stop.signal).then(
      (ended) => void (result = ended),
      (error) => void (result = error instanceof Error ? error.message : String(error)),
    ).finally(() => output[Symbol.dispose]());
    const job: Job = {
      id: `job-${++this.#count}`,
      command,
      startMs: performance.now(),
      output,
      ended,
      result: () => result,
      kill: () => stop.abort(),
    };
    this.#jobs.set(job.id, job);
    this.#forgetOldest();
    return job;
  }

  /** Ends all of them, and waits until they have. */
  async end(): Promise<void> {
    for (const job of this.#running()) job.kill();
    await Promise.all(this.list().map(({ ended }) => ended));
  }

  #running(): readonly Job[] {
    return this.list().filter((job) => job.result() === undefined);
  }

  #forgetOldest(): void {
    const over = this.list().filter((job) => job.result() !== undefined);
    while (over.length > this.maxJobs) this.#jobs.delete(over.shift()!.id);
  }
}

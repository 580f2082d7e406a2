import type { Host } from "../host/host.ts";
import type { Invocation } from "./flags.ts";

/** A flag of the command line. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in help; absent for a flag that is only there or not. */
  readonly value?: string;
  readonly summary: string;
  /** True when its value is two words. */
  readonly isPair?: boolean;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
}

/** A command of skep. Help and the README's table are built from these values. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What follows `skep `, such as `call TOOL JSON`. */
  readonly usage: string;
  /** Its own flags, beside the common ones. */
  readonly flags: readonly Flag[];
  /** Positional arguments it takes: the least and the most. */
  readonly positionals: readonly [least: number, most: number];
  /** Loads the code only when the command runs: start-up pays for no other. */
  load(): Promise<{ run: Run }>;
}

/** Runs a command and gives the exit code. Failures are thrown; `main` maps them. */
export type Run = (invocation: Invocation, host: Host) => Promise<number>;

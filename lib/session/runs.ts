import type { Image, Text } from "../model/message.ts";
import type { RunningTurn } from "../turn/run.ts";
import { newId } from "./new_id.ts";

type Content = readonly (Text | Image)[];

/** A prompt from the moment that it was taken. */
export interface Run {
  readonly id: string;
  /** Absent until hooks and a free place let it begin. */
  turn?: RunningTurn;
  /** What was said to it before it began; undefined when nobody will look any more. */
  early: Content[] | undefined;
  steers: number;
}

/** The prompts of a session that were taken and have no end yet, in their order, and what is said to them. */
export class Runs {
  readonly #runs: Run[] = [];
  readonly #onSteer: (content: Content) => void;

  /** @param onSteer Gets what is said to a turn; its message in the history comes behind it. */
  constructor(onSteer: (content: Content) => void) {
    this.#onSteer = onSteer;
  }

  /** The one that runs, or is about to. */
  get first(): Run | undefined {
    return this.#runs[0];
  }

  /** Takes a prompt. */
  take(): Run {
    const run: Run = { id: newId("run"), early: [], steers: 0 };
    this.#runs.push(run);
    return run;
  }

  /** Says something to a run; false when it is over. */
  steer(run: Run, content: Content): boolean {
    const { turn, early } = run;
    const isTaken = turn === undefined ? early?.push(content) !== undefined : turn.steer(content);
    if (isTaken) run.steers++;
    if (isTaken && turn !== undefined) this.#onSteer(content);
    return isTaken;
  }

  /** Its turn has begun, which is told what was said before. */
  begin(run: Run, turn: RunningTurn): void {
    run.turn = turn;
    for (const said of run.early ?? []) {
      if (turn.steer(said)) this.#onSteer(said);
    }
    run.early = undefined;
  }

  /** It has ended. What was said to one that never began is for the next one; given is what none will get. */
  end(run: Run): readonly Content[] {
    this.#runs.splice(this.#runs.indexOf(run), 1);
    const said = run.early ?? [];
    run.early = undefined;
    const next = this.#runs.find(({ early }) => early !== undefined);
    if (next === undefined) return said;
    next.early?.unshift(...said);
    return [];
  }
}

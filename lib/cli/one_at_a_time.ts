/**
 * Gives a function that runs what it is given in turn: each begins when the one before has settled.
 *
 * @example
 * ```ts
 * import { oneAtATime } from "./one_at_a_time.ts";
 *
 * const inTurn = oneAtATime();
 * const said: number[] = [];
 * await Promise.all([
 *   inTurn(() => Promise.resolve().then(() => said.push(1))),
 *   inTurn(() => Promise.resolve(said.push(2))),
 * ]);
 * console.assert(said.join() === "1,2");
 * ```
 */
export function oneAtATime(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const running = last.then(run);
    last = running.catch(() => {}); // its error goes to whoever gave it
    return running;
  };
}

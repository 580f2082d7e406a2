import type { Limits } from "../limits.ts";
import { elideEnd } from "./elide.ts";
import { plainText } from "./plain_text.ts";
import type { Progress } from "./registry.ts";

/** A server's note of progress as people are shown it: one line, cut where it is too long for one. */
export function toProgress(
  { progress, total, message }: {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  },
  { maxServerLogBytes }: Pick<Limits, "maxServerLogBytes">,
): Progress {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined
      ? {}
      : { message: elideEnd(plainText(message), maxServerLogBytes, " [truncated]") }),
  };
}

import type { World } from "./world.ts";

/** What a search wrote, within its bounds. */
export interface SearchResult {
  readonly text: string;
  readonly stderr: string;
  /** Undefined when it was ended. */
  readonly code: number | undefined;
  /** Why there may be more. */
  readonly cut: "lines" | "bytes" | "time" | undefined;
}

const MAX_STDERR_CHARACTERS = 4000;

/** The bounds of one search. */
export interface SearchBounds {
  /** The byte that ends a line: a newline, or the NUL between names. */
  readonly lineEnd: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Runs a script of bash that becomes a search, and takes its lines until a bound is reached, where it
 * is killed. Whole lines are taken.
 *
 * @throws What the system says when bash cannot be started.
 */
export async function runSearch(
  script: string,
  args: readonly string[],
  cwd: string,
  bounds: SearchBounds,
  world: Pick<World, "Command">,
  signal: AbortSignal,
): Promise<SearchResult> {
  const child = new world.Command("bash", {
    args: ["-c", script, "rg", ...args],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let cut: SearchResult["cut"];
  const kill = () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const timer = setTimeout(() => {
    cut = "time";
    kill();
  }, bounds.timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  const telling = readText(child.stderr);
  try {
    const parts: Uint8Array[] = [];
    let [bytes, lines] = [0, 0];
    for await (const chunk of child.stdout) {
      if (cut === "lines" || cut === "bytes") continue; // what is in the pipe still
      let end = 0;
      while (end < chunk.length && lines < bounds.maxLines && bytes + end < bounds.maxBytes) {
        const lineEnd = chunk.indexOf(bounds.lineEnd, end);
        if (lineEnd === -1) end = chunk.length;
        else {
          end = lineEnd + 1;
          lines++;
        }
      }
      parts.push(chunk.subarray(0, end));
      bytes += end;
      if (end === chunk.length) continue; // full to the brim at most: there need not be more
      cut = lines >= bounds.maxLines ? "lines" : "bytes";
      kill();
    }
    const { code, signal: endedBy } = await child.status;
    return {
      text: shortened(parts, bounds.maxBytes),
      stderr: (await telling).slice(0, MAX_STDERR_CHARACTERS),
      code: endedBy === null ? code : undefined,
      cut,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    kill();
    await Promise.all([child.status, telling]);
  }
}

async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(stream).text();
}

/** A last line that is longer than all there is room for is cut. */
function shortened(parts: readonly Uint8Array[], maxBytes: number): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const part of parts) text += decoder.decode(part, { stream: true });
  return text.length > maxBytes ? `${text.slice(0, maxBytes).toWellFormed()}…\n` : text;
}

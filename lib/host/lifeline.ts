import { SYSTEM_PATH } from "./system_path.ts";

/** A FIFO that lives as long as this program: whoever reads it sees its end when the program is gone. */
export interface Lifeline {
  /** Absolute path of the FIFO. */
  readonly path: string;
  /** Lets go of it, and removes it. Readers see its end. */
  close(): Promise<void>;
}

/**
 * Makes a {@linkcode Lifeline} in a private folder. The kernel closes it however this program ends, by
 * SIGKILL too; a child does not inherit it.
 *
 * @throws when there is no `mkfifo`, which is part of every Linux and macOS.
 */
export async function openLifeline(): Promise<Lifeline> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "skep-life-" }));
  const path = `${folder}/line`;
  try {
    const { success } = await new Deno.Command("mkfifo", {
      args: ["-m", "600", path],
      clearEnv: true,
      env: { PATH: SYSTEM_PATH },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    if (!success) throw new Error(`mkfifo could not make ${path}`);
    // Open for both: opening for one alone waits for the other side.
    const file = await Deno.open(path, { read: true, write: true });
    return {
      path,
      close: async () => {
        file.close();
        await Deno.remove(folder, { recursive: true });
      },
    };
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

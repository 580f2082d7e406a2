import type { ExitStatus, Process, SpawnCommand } from "../host/process.ts";

/** How a pretended child behaves. */
export interface PretendedChild {
  readonly stderr?: string;
  /** Its exit code; absent: it runs until it is killed. */
  readonly code?: number;
}

/** A `spawn` for unit tests: notes each command, and answers it as `behave` says. */
export function pretendSpawn(
  behave: (command: SpawnCommand) => PretendedChild,
): { readonly spawn: (command: SpawnCommand) => Process; readonly commands: SpawnCommand[] } {
  const commands: SpawnCommand[] = [];
  const spawn = (command: SpawnCommand): Process => {
    commands.push(command);
    const { stderr = "", code } = behave(command);
    const { promise, resolve } = Promise.withResolvers<ExitStatus>();
    const empty = () => new Blob([]).stream();
    const output = new TransformStream<Uint8Array, Uint8Array>();
    const writer = output.writable.getWriter();
    const end = (status: ExitStatus) => {
      writer.close().catch(() => {}); // it was ended before
      resolve(status);
    };
    writer.write(new TextEncoder().encode(stderr)).then(() => {
      if (code !== undefined) end({ code, signal: undefined });
    });
    return {
      pid: commands.length,
      stdin: new WritableStream(),
      stdout: empty(),
      stderr: output.readable,
      exited: promise,
      endStarted: () => Promise.resolve(0),
      signalGroup: (name) => {
        end({ code: 143, signal: name });
        return true;
      },
    };
  };
  return { spawn, commands };
}

import type { FoundPersona } from "../persona/find.ts";
import type { Persona } from "../persona/persona.ts";
import type { ServerFile } from "../persona/server_file.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { ServerSource } from "../session/session_servers.ts";

/** A run's persona and server files, read again. */
export interface Disk {
  find(): Promise<FoundPersona>;
  /** @throws {SkepError} when the pack is installed and is not as it was. */
  checkPack(): Promise<void>;
  readFiles(): Promise<readonly ServerFile[]>;
  /** All entries of servers, filled in. */
  specsOf(persona: Persona, files: readonly ServerFile[]): ServerSpec[];
}

/** What {@linkcode sessionSource} stands on. */
export interface SourceOptions extends Pick<ServerSource, "specs" | "prepare" | "onNotice"> {
  /** As the session was opened with it. */
  readonly persona: Persona;
  readonly disk: Disk;
  /** Has the model told the persona's text from now on. Absent: its text is not what the model is told. */
  readonly takeText?: ((persona: Persona) => Promise<void>) | undefined;
}

/** What a session was opened with, as it is read again while it runs: its persona and server files. */
export function sessionSource(options: SourceOptions): ServerSource {
  const { persona, disk, takeText } = options;
  const opened = JSON.stringify([persona.servers, textOf(persona)]);
  const find = async () => {
    const found = await disk.find();
    const isOther = JSON.stringify([found.persona.servers, textOf(found.persona)]) !== opened;
    if (isOther) await disk.checkPack(); // it reads all of the pack, and is asked before each prompt
    return found;
  };
  return {
    specs: options.specs,
    text: takeText === undefined ? "" : textOf(persona),
    settings: settingsOf(persona),
    read: async () => {
      const { persona: now, unusable } = await find();
      const files = await disk.readFiles();
      return {
        specs: disk.specsOf(now, files),
        unusable: [...unusable, ...files.flatMap((file) => file.unusable)],
        text: takeText === undefined ? "" : textOf(now),
        settings: settingsOf(now),
      };
    },
    takeText: async () => await takeText?.((await find()).persona),
    prepare: options.prepare,
    onNotice: options.onNotice,
  };
}

/** What the model is told of a persona. */
function textOf({ prompt, team = "" }: Persona): string {
  return JSON.stringify([prompt, team]);
}

/** All else that is settled when a session is opened. */
function settingsOf(persona: Persona): string {
  const { prompt: _, team: __, servers: ___, serversOff: ____, skills: _____, ...rest } = persona;
  return JSON.stringify(rest);
}

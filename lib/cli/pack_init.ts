import { basename, dirname, join, resolve } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { newPack } from "../persona/new_pack.ts";
import type { Invocation } from "./flags.ts";
import { readSettings } from "./settings.ts";

const NAME = /^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/;

/**
 * `skep pack init DIR`: makes a pack that works. The folder must not be there, or be empty.
 *
 * @throws {SkepError} `USAGE` for a folder that is not empty, or whose name is none for a persona.
 */
export async function run(
  [path = ""]: readonly string[],
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const { cwd, isJson } = await readSettings(invocation, host);
  const { files } = host;
  const folder = resolve(cwd, path);
  const name = basename(folder);
  const refuse = (reason: string): never => {
    throw new SkepError("USAGE", `Cannot make a pack in ${folder}: ${reason}`, { argument: path });
  };
  if (!NAME.test(name)) {
    refuse("its name must be of a-z, 0-9 and hyphens, since the persona gets it");
  }
  const facts = await files.lstat(folder)
    .catch((error) => refuse(messageOf(error)));
  if (facts !== undefined && !facts.isDirectory) refuse("there is something that is no folder");
  if (facts !== undefined && (await files.list(folder)).length > 0) refuse("it is not empty");
  const made = newPack(name);
  try {
    for (const [inside, text] of Object.entries(made)) {
      await files.makeFolder(dirname(join(folder, inside)));
      await files.writeText(join(folder, inside), text, 0o644);
    }
  } catch (error) {
    refuse(messageOf(error));
  }
  await host.print(
    isJson
      ? `${JSON.stringify({ folder, files: Object.keys(made) })}\n`
      : `${folder}\n${Object.keys(made).map((inside) => `  ${inside}\n`).join("")}`,
  );
  if (!isJson) {
    host.warn(`Accept what its server may do: skep audit --accept --persona ${folder}`);
    host.warn(`Then talk to it: skep chat --persona ${folder}`);
  }
  return 0;
}

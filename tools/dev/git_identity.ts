import { join } from "@std/path";
import type { World } from "./world.ts";

/** Where git looks for the machine's settings when nothing tells it otherwise. */
const SYSTEM_SETTINGS = "/etc/gitconfig";

/**
 * Lays the settings that the shell's git takes for the machine's: an author of the last resort, then
 * the machine's own settings, which win, then whom the person's settings name. The repository's win over all. So a commit always
 * has an author, and an operator's choice is never overridden. What signs commits, without a key in the
 * reach of any tool, would be named here as well.
 *
 * @param scratch The server's own folder.
 * @param who Each as `NAME <ADDRESS>`.
 * @param system The machine's own settings.
 */
export async function layGitIdentity(
  scratch: string,
  { author, person }: { readonly author: string; readonly person?: string },
  world: Pick<World, "writeTextFile">,
  system = SYSTEM_SETTINGS,
): Promise<void> {
  const lines = [
    ...section(author),
    "[include]",
    `\tpath = ${quoted(system)}`,
    ...(person === undefined ? [] : section(person)),
    "",
  ];
  await world.writeTextFile(join(scratch, "gitconfig"), lines.join("\n"), { mode: 0o600 });
}

function section(who: string): string[] {
  const [, name = "", address = ""] = /^(.*) <(.*)>$/s.exec(who) ?? [];
  return ["[user]", `\tname = ${quoted(name)}`, `\temail = ${quoted(address)}`];
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

import { join } from "@std/path";
import type { World } from "./world.ts";

/** Where git looks for the machine's settings when nothing tells it otherwise. */
const SYSTEM_SETTINGS = "/etc/gitconfig";

/**
 * Lays the settings that the shell's git takes for the machine's: an author of the last resort, then
 * the machine's own settings, which win, as do the person's and the repository's. So a commit always
 * has an author, and an operator's choice is never overridden. What signs commits, without a key in the
 * reach of any tool, would be named here as well.
 *
 * @param scratch The server's own folder.
 * @param author `NAME <ADDRESS>`.
 */
export async function layGitIdentity(
  scratch: string,
  author: string,
  world: Pick<World, "writeTextFile">,
): Promise<void> {
  const [, name = "", address = ""] = /^(.*) <(.*)>$/s.exec(author) ?? [];
  const lines = [
    "[user]",
    `\tname = ${quoted(name)}`,
    `\temail = ${quoted(address)}`,
    "[include]",
    `\tpath = ${SYSTEM_SETTINGS}`,
    "",
  ];
  await world.writeTextFile(join(scratch, "gitconfig"), lines.join("\n"), { mode: 0o600 });
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

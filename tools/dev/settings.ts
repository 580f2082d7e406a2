/** How the server is started. */
export interface Settings {
  /** A person's word that commands may run with nothing but Deno's flags around them. */
  readonly isUnconfined: boolean;
  /** The word of who started it that the system confines it, which is checked. */
  readonly isSaidConfined: boolean;
  /** The host uses hooks and may be shown them. */
  readonly areHooksListed: boolean;
  /** Tools that are neither listed nor callable. */
  readonly without: readonly string[];
  /** Git looks, and does nothing else: see `looking_git.ts`. */
  readonly isGitLooking: boolean;
  /** Who commits are by, when the repository and the machine name nobody: `NAME <ADDRESS>`. */
  readonly author: string;
  /** Another path of the server's folder, through a link, which its arguments may have; absent: there is none. */
  readonly named?: string;
  /** Who commits are by, whatever the machine names: whom the person's own git settings name. */
  readonly person?: string;
}

const AUTHOR = /^[^<>\n\0]+ <[^<>\s\0]+>$/;

/**
 * Reads the server's arguments.
 *
 * @param tools The names of all tools there are.
 * @returns The settings, or what is wrong with the arguments.
 */
export function readSettings(args: readonly string[], tools: readonly string[]): Settings | string {
  let settings: Settings = {
    isUnconfined: false,
    isSaidConfined: false,
    areHooksListed: false,
    isGitLooking: false,
    without: [],
    author: "skep agent <agent@skep.invalid>",
  };
  for (const arg of args) {
    const [, flag = arg, value] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    if (arg === "--unconfined") settings = { ...settings, isUnconfined: true };
    else if (arg === "--confined") settings = { ...settings, isSaidConfined: true };
    else if (arg === "--hooks") settings = { ...settings, areHooksListed: true };
    else if (arg === "--git-looks") settings = { ...settings, isGitLooking: true };
    else if (flag === "--without" && value !== undefined) {
      const names = value.split(",");
      const unknown = names.find((name) => !tools.includes(name));
      if (unknown !== undefined) {
        return `--without: there is no tool "${unknown}" (there are ${tools.join(", ")})`;
      }
      settings = { ...settings, without: [...settings.without, ...names] };
    } else if ((flag === "--author" || flag === "--person") && value !== undefined) {
      if (!AUTHOR.test(value)) return `${flag} must be "NAME <ADDRESS>", not "${value}"`;
      settings = { ...settings, [flag === "--author" ? "author" : "person"]: value };
    } else if (flag === "--named" && value?.startsWith("/")) {
      settings = { ...settings, named: value };
    } else {
      const known = "--confined, --unconfined, --hooks, --git-looks, --without=TOOL,…, " +
        "--author=NAME <ADDRESS>, --person=NAME <ADDRESS>, --named=PATH";
      return `there is no argument "${arg}", only ${known}`;
    }
  }
  return settings;
}

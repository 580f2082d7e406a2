import type { Host } from "../host/host.ts";
import { findProgram } from "../sandbox/programs.ts";

/** What a program needs of the environment to show itself on this person's screen. */
const SCREEN = [
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "XDG_CURRENT_DESKTOP",
  "DBUS_SESSION_BUS_ADDRESS",
  "SystemRoot",
];

/**
 * Opens a page in the person's browser: `BROWSER`, else the system's own way where somebody sits at a terminal.
 * Where that does not work they have the address.
 *
 * @param page https, or on this machine: nothing else is ever handed to a program.
 */
export async function browse(
  page: URL,
  host: Pick<Host, "env" | "spawn" | "files" | "platform" | "isTerminal" | "cwd">,
): Promise<void> {
  const { os } = host.platform;
  const own = host.env("BROWSER")?.trim();
  if (!/^https?:$/.test(page.protocol) || (!own && !host.isTerminal("stderr"))) return;
  const [name, ...args] = own
    ? [own]
    : os === "windows"
    ? ["rundll32.exe", "url.dll,FileProtocolHandler"]
    : [os === "darwin" ? "open" : "xdg-open"];
  try {
    const program = await findProgram(name!, host.env("PATH") ?? "", host);
    if (program === undefined) return;
    const env = Object.fromEntries(SCREEN.flatMap((each) => {
      const value = host.env(each);
      return value === undefined ? [] : [[each, value]];
    }));
    const child = host.spawn({ program, args: [...args, page.href], cwd: host.cwd(), env });
    await Promise.all([
      child.stdin.close(),
      child.stdout.pipeTo(new WritableStream()),
      child.stderr.pipeTo(new WritableStream()),
      child.exited,
    ]);
  } catch {
    // The address was shown: a person can open it by hand.
  }
}

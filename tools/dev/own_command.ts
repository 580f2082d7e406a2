import { dirname, join } from "@std/path";
import { fileURLToPath } from "node:url";

/**
 * The words that run one of this program's own commands, such as `rg`, outside of this process. They
 * may read whatever the shell that runs them may: the system's confinement holds both.
 *
 * @param main The address of this program's main module.
 * @param deno The program `deno`.
 */
export function ownCommand(name: string, main: string, deno: string): string[] {
  const path = fileURLToPath(main);
  const root = dirname(dirname(dirname(path)));
  const configuration = path.endsWith(".ts")
    ? [`--config=${join(root, "deno.json")}`, `--lock=${join(root, "deno.lock")}`, "--frozen"]
    : ["--no-config", "--no-lock", "--no-npm"];
  const always = ["run", "--no-prompt", "--no-remote", "--cached-only", "--quiet"];
  return [deno, ...always, ...configuration, "--allow-read", path, name];
}

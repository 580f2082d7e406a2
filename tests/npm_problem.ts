// Whether tests that need the npm registry can run.
import { childEnv, fromRepo, runChild, tempFolder } from "./harness.ts";

/** Why Deno cannot fetch a small package of npm's; undefined when it can. */
export async function npmProblem(): Promise<string | undefined> {
  await using home = await tempFolder();
  const env = {
    ...childEnv(home.path),
    HOME: Deno.env.get("HOME") ?? home.path, // its .npmrc may name the registry
    DENO_TLS_CA_STORE: Deno.env.get("DENO_TLS_CA_STORE") ?? "system,mozilla",
  };
  const args = [
    "cache",
    "--no-config",
    "--no-lock",
    "--reload=npm:is-number",
    "npm:is-number@7.0.0",
  ];
  const { code, stderr } = await runChild(Deno.execPath(), args, { cwd: fromRepo("tests"), env });
  return code === 0 ? undefined : stderr.split("\n")[0];
}

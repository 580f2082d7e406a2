// One step of a login at a server's authorization server. It reads one line of JSON, `{"step": NAME, …}`, and
// writes one: `{"found": {…}}`, or `{"error": TEXT, "code"?: OAUTH_CODE}`. Secrets come and go by these lines alone.
import { DEFAULT_LIMITS } from "../../lib/limits.ts";
import { messageOf } from "../../lib/errors.ts";
import { stepFetch } from "./step_fetch.ts";
import { STEPS } from "./steps.ts";

async function main(world: typeof Deno): Promise<number> {
  const told = JSON.parse(await new Response(world.stdin.readable).text());
  const step = STEPS[told.step];
  let answer: Readonly<Record<string, unknown>>;
  try {
    if (step === undefined) throw new Error(`there is no step "${told.step}"`);
    answer = { found: await step(told, stepFetch(fetch, DEFAULT_LIMITS)) };
  } catch (error) {
    const { errorCode } = error as { errorCode?: unknown };
    answer = { error: messageOf(error), ...(typeof errorCode === "string" && { code: errorCode }) };
  }
  await new Response(`${JSON.stringify(answer)}\n`).body?.pipeTo(world.stdout.writable);
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno));

import { startFakeProvider } from "../fake_provider.ts";
import { bareDeno, startSkep } from "./child.ts";
import { type Measurement, medians } from "./measurement.ts";

/** From the start of `skep chat -p` to the request that reaches the provider, the dev server started. */
export async function firstRequest(): Promise<Measurement[]> {
  let arrived = Promise.withResolvers<number>();
  await using provider = startFakeProvider(({ path }) => {
    if (!/\/(messages|chat\/completions)$/.test(path)) return { status: 404 };
    arrived.resolve(performance.now());
    return { parts: [{ text: "Hello." }] };
  });
  const run = async (model: string, sandbox: string) => {
    arrived = Promise.withResolvers();
    const args = ["chat", "-p", "hello", "--model", model, "--sandbox", sandbox];
    // A context that is set is not looked up.
    const env = { ...provider.env, SKEP_MAX_CONTEXT_TOKENS: "200000" };
    await using child = startSkep(args, env);
    return await arrived.promise - child.startMs;
  };
  const [bare = NaN, ...times] = await medians([
    bareDeno,
    () => run("anthropic:fake-1", "off"),
    () => run("openai-compatible:fake-1", "off"),
    () => run("anthropic:fake-1", "auto"),
  ], 9);
  const names = ["anthropic", "openai-compatible", "anthropic, server confined"];
  return times.map((value, index): Measurement => ({
    what: `first model request, ${names[index]}`,
    value,
    unit: "ms",
    base: { what: "deno run of nothing", value: bare },
  }));
}

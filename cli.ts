import { main } from "./lib/cli/main.ts";
import { denoHost } from "./lib/host/deno_host.ts";

if (import.meta.main) Deno.exit(await main(Deno.args, denoHost()));

import { startBridge } from "./start_bridge.ts";

if (import.meta.main) Deno.exit(await startBridge(Deno.args, Deno));

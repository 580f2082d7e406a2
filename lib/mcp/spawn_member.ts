import { messageOf, SkepError } from "../errors.ts";
import { isDevServer } from "../sandbox/command.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { HeldNotices } from "./held_notices.ts";
import type { RegistryMember } from "./registry_member.ts";
import { Server } from "./server.ts";
import type { ServerOptions } from "./server_options.ts";
import type { RegistryOptions } from "./start_registry.ts";

/** How one server is started. */
export interface StartOptions {
  readonly isRefetching?: boolean;
  /** It may wait for its first call, when its tools are known. */
  readonly mayWait?: boolean;
  /** Gives up this start alone. */
  readonly signal?: AbortSignal;
  /** Aborted when the registry closes. */
  readonly closing: AbortSignal;
}

/** Prepares a server and spawns it, unless it may wait; one that may not be started is refused, and told. */
export async function spawnMember(
  spec: ServerSpec,
  { editorFiles, lists, onNotice, prepare }: Pick<
    RegistryOptions,
    "editorFiles" | "lists" | "onNotice" | "prepare"
  >,
  shared: ServerOptions,
  { isRefetching = false, mayWait = false, signal, closing }: StartOptions,
): Promise<RegistryMember> {
  try {
    const launch = await prepare(spec, isRefetching, signal);
    if (!isRefetching) { for (const notice of launch.notices) onNotice(notice); }
    const held = new HeldNotices(onNotice);
    const known = mayWait ? await lists?.recall(spec, launch) : undefined;
    const options = {
      ...shared,
      onNotice: (text: string) => held.take(text),
      ...(editorFiles && isDevServer(spec) && { editorFiles: editorFiles(launch) }),
    };
    const server = new Server(launch, options, known);
    if (known === undefined && !closing.aborted && !signal?.aborted) server.spawn();
    return { spec, launch, server, held };
  } catch (error) {
    const reason = messageOf(error);
    if (!signal?.aborted) onNotice(`Server "${spec.name}" is not started: ${reason}`);
    const code = error instanceof SkepError ? { code: error.code } : {};
    return { spec, off: { state: "refused", reason, ...code } };
  }
}

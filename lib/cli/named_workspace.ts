import { isDevServer } from "../sandbox/command.ts";
import type { ServerSpec } from "../sandbox/spec.ts";

/**
 * The spec of a server in a workspace that its person knows by another path, one that goes through a link.
 * The dev server is told that path, and takes it for its own folder; to others, and to commands in a shell,
 * it is not there.
 */
export function withWorkspaceName(spec: ServerSpec, named: string | undefined): ServerSpec {
  if (named === undefined || !isDevServer(spec)) return spec;
  return { ...spec, args: [...spec.args, `--named=${named}`] };
}

import type { Launch } from "../sandbox/launch.ts";
import { type DenialReader, failed } from "./call_result.ts";

/**
 * What a person is told of a server that is not started again, as the rest of a sentence about it: why it
 * ended; what would allow it where it ended because of its grant; and when its tools were there, that they
 * are gone, and what brings them back.
 */
export function endNotice(
  reason: string,
  { grant, server }: Pick<Launch, "grant" | "server">,
  { findDenial, explainDenial }: DenialReader,
  hadTools: boolean,
): string {
  const denial = findDenial(grant, failed(reason));
  return [
    reason,
    ...(denial === undefined ? [] : [explainDenial(denial, grant)]),
    ...(hadTools
      ? [
        `It ended too often and is not started again: its tools are gone. ` +
        `"/mcp on ${server}" in skep chat brings them back, "_skep/mcp/reload" over ACP`,
      ]
      : []),
  ].join("\n");
}

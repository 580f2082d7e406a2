import type { ServerSpec } from "../sandbox/spec.ts";
import { plainText } from "./plain_text.ts";
import { nameServers } from "./server_names.ts";
import type { RegistryOptions } from "./start_registry.ts";

/** The servers to start, under the names that they are known by; who is left out or renamed is told. */
export function chosenServers(
  { limits, onNotice, specs }: Pick<RegistryOptions, "limits" | "onNotice" | "specs">,
): ServerSpec[] {
  const named = nameServers(specs);
  const leftOut = named.slice(limits.maxServers).map(({ name }) => name);
  if (leftOut.length > 0) {
    onNotice(`Only ${limits.maxServers} servers are started: ${leftOut.join(", ")} left out`);
  }
  const chosen = named.slice(0, limits.maxServers);
  for (const [index, { name }] of chosen.entries()) {
    const wanted = specs[index]?.name ?? name;
    if (wanted !== name) onNotice(`Server "${plainText(wanted)}" is listed as "${name}"`);
  }
  return chosen;
}

import type { BackendName } from "./backend.ts";
import type { LaunchContext } from "./context.ts";
import { dangerousEntries } from "./dangerous_entries.ts";
import { PASSED_KEYS_ORIGIN } from "./environment.ts";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { isWithin } from "./paths.ts";
import { homeFiles } from "./protected_files.ts";
import { PROTECTED_FILES, PROTECTED_GROUPS } from "./protected_names.ts";

/**
 * What a person must see first of a server: what nothing confines at all, and what the operator gave up.
 * Each is the rest of a sentence about it.
 */
export function dangers(
  kind: Launch["kind"],
  grant: Pick<Grant, "env" | "run" | "read" | "write" | "net" | "workspace" | "addedFolders">,
  backend: BackendName | undefined,
  { host, policy }: Pick<LaunchContext, "host" | "policy">,
): string[] {
  const { os } = host.platform;
  const worked = [grant.workspace, ...grant.addedFolders ?? []]
    .filter((folder) => grant.write.some(({ value }) => isWithin(folder, value, os)));
  const isWritable = worked.length > 0;
  const programs = backend === undefined ? grant.run.map(({ value }) => value) : [];
  const home = host.env(os === "windows" ? "USERPROFILE" : "HOME");
  const holdsHome = home !== undefined && worked.some((folder) => isWithin(home, folder, os));
  const holdsPart = !holdsHome && worked.some((folder) => homeFiles(folder, host).length > 0);
  const lifted = policy?.protect === undefined ? [] : liftedBy(policy.protect);
  const keys = grant.env.filter(({ origin }) => origin === PASSED_KEYS_ORIGIN);
  return [
    ...(keys.length > 0
      ? [`gets ${keys.map(({ value }) => value).join(", ")}: it can speak for that identity`]
      : []),
    ...(kind === "native" && backend === undefined
      ? ["runs natively: nothing confines it"]
      : programs.length > 0
      ? [`may run ${programs.join(", ")}, which nothing confines`]
      : []),
    ...(isWritable && lifted.length > 0
      ? [`may write ${lifted.join(", ")}: protect: of ${policy?.file} does not list it`]
      : []),
    ...(isWritable && holdsHome
      ? [
        "may write the home folder, but for its settings that run by themselves and are there already",
      ]
      : []),
    ...(isWritable && holdsPart
      ? [
        "may write a part of the home folder with settings that run by themselves, but for those that are there already",
      ]
      : []),
    ...dangerousEntries(grant, host),
  ];
}

/** What is protected by default and not in a list, in the words of the list. */
function liftedBy(protect: readonly string[]): string[] {
  const groups = Object.entries(PROTECTED_GROUPS)
    .filter(([name]) => !protect.includes(name)).map(([, what]) => what);
  return [...Object.keys(PROTECTED_FILES).filter((name) => !protect.includes(name)), ...groups];
}

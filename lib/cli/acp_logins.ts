import type { Logins } from "../acp/logins.ts";
import type { Host } from "../host/host.ts";
import type { Run } from "./prepare_run.ts";

const DATABRICKS = {
  id: "databricks",
  name: "Databricks",
  description: "Logs in to the workspace of DATABRICKS_HOST, in a browser on this machine",
};

/**
 * The logins that an ACP client may offer: a Databricks workspace that is set without a token. Undefined
 * where there is none. Looks at the environment alone, since every client waits for it.
 */
export function acpLogins(
  prepare: () => Promise<Pick<Run, "modelWorld">>,
  env: Host["env"],
): Logins | undefined {
  const isSet = (name: string) => !!env(name)?.trim();
  const hasToken = isSet("DATABRICKS_TOKEN") || isSet("DATABRICKS_TOKEN_FILE");
  if (!isSet("DATABRICKS_HOST") || hasToken) return undefined;
  return {
    methods: [DATABRICKS],
    logIn: async (id) => {
      const { logIn } = await import("../model/logins.ts");
      await logIn(id, (await prepare()).modelWorld);
    },
    logOut: async () => {
      const { logOut } = await import("../model/logins.ts");
      await logOut(DATABRICKS.id, (await prepare()).modelWorld);
    },
  };
}

import type { Host } from "../host/host.ts";
import { isRecord } from "../oauth/json.ts";
import { LoginFiles } from "../oauth/login_file.ts";
import { Logins, type TokenQuestion } from "../oauth/logins.ts";
import type { StepWorld } from "../oauth/run_step.ts";
import type { Launch } from "../sandbox/launch.ts";
import { URL_VARIABLE } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Settings } from "./settings.ts";

/** The logins that this run keeps, and what a launch of a bridge has of them. */
export interface RunLogins {
  /** The launch with its answers to the bridge, whose tokens are in no text that leaves skep. */
  withToken(spec: ServerSpec, launch: Launch): Launch;
}

/** The logins of a run. `prepare` is for the steps of a refresh. */
export function loginsOf(
  { folders, limits }: Pick<Settings, "folders" | "limits">,
  host: Host,
  prepare: StepWorld["prepare"],
): RunLogins {
  const files = new LoginFiles(folders.state, host.files, limits);
  const { nowMs } = host;
  const logins = new Logins(files, { host, limits, prepare, nowMs: () => nowMs() });
  return {
    withToken: (spec, launch) => {
      const { remote, redact } = launch;
      if (remote === undefined) return launch;
      return {
        ...launch,
        redact: (text) => logins.redact(redact(text)),
        token: (question) => logins.token(remote, readQuestion(question), loginCommand(spec)),
      };
    },
  };
}

/** What a person runs to log in: by the address, unless that is a secret. */
export function loginCommand({ name, env, origin }: ServerSpec): string {
  const file = origin.kind === "file" ? ` --mcp ${origin.where}` : "";
  return `skep mcp login ${env[URL_VARIABLE] ?? `${name}${file}`}`;
}

function readQuestion(question: unknown): TokenQuestion {
  const { refused, scope, error } = isRecord(question) ? question : {};
  return {
    ...(typeof refused === "string" || refused === null ? { refused } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
    ...(typeof error === "string" ? { error } : {}),
  };
}

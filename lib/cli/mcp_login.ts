import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { logIn } from "../oauth/log_in.ts";
import { LoginFiles } from "../oauth/login_file.ts";
import { remoteAddress, remoteOf } from "../sandbox/remote.ts";
import { nearest } from "../suggest.ts";
import { browse } from "./browse.ts";
import type { Invocation } from "./flags.ts";
import { prepareRun, type Run } from "./prepare_run.ts";
import { untilSignal } from "./stopping.ts";

/**
 * `skep mcp login SERVER`: a person logs in to a server with a url, in their browser, and skep keeps the login.
 * `skep mcp logout SERVER` forgets it. SERVER is a name of the persona's or of an `--mcp` file, or an address.
 */
export async function runLogin(
  command: "login" | "logout",
  server: string | undefined,
  invocation: Invocation,
  host: Host,
): Promise<number> {
  if (server === undefined) {
    const message = `skep mcp ${command} needs a server: skep mcp ${command} NAME, or its address`;
    throw new SkepError("USAGE", message, { argument: "SERVER" });
  }
  return await untilSignal(host, async (signal) => {
    await using run = await prepareRun(invocation, host);
    const { settings } = run;
    const url = addressOf(server, run);
    const files = new LoginFiles(settings.folders.state, host.files, settings.limits);
    const { host: where } = new URL(url);
    if (command === "logout") {
      const wasThere = await files.remove(url);
      host.warn(wasThere ? `Logged out of ${where}` : `There is no login at ${where}`);
      return 0;
    }
    const clientSecret = await secretOf(invocation.value("client-secret"), run, host);
    const [clientId, scope] = [invocation.value("client-id"), invocation.value("scope")];
    const sleep: Host["sleep"] = (ms, own) =>
      host.sleep(ms, own === undefined ? signal : AbortSignal.any([own, signal]));
    const login = await logIn(url, {
      ...(clientId === undefined ? {} : { clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(scope === undefined ? {} : { scope }),
    }, {
      host: { spawn: host.spawn, sleep },
      limits: settings.limits,
      prepare: (spec) => run.prepare(spec, settings.cwd, signal),
      files,
      nowMs: () => host.nowMs(),
      show: (line) => host.warn(line),
      browse: (page) => void browse(page, host),
    });
    const scopes = login.scope === undefined ? "" : `, for ${login.scope}`;
    host.warn(`Logged in to ${where}${scopes}`);
    return 0;
  });
}

function addressOf(server: string, { servers }: Run): string {
  const spec = servers.find(({ name }) => name === server);
  const remote = spec === undefined ? undefined : remoteOf(spec);
  if (remote !== undefined) return remote.url;
  const typed = /^https?:/.test(server) ? remoteAddress({ BRIDGE_URL: server }) : undefined;
  if (typed !== undefined) {
    typed.hash = "";
    return typed.href;
  }
  const names = servers.filter((each) => remoteOf(each) !== undefined).map(({ name }) => name);
  const near = nearest(server, names);
  const why = spec !== undefined
    ? `server "${server}" has no url`
    : `there is no server "${server}"${near === undefined ? "" : `; did you mean ${near}?`}`;
  throw new SkepError("USAGE", `Cannot log in: ${why}`, { argument: server });
}

async function secretOf(
  source: string | undefined,
  { settings }: Run,
  host: Host,
): Promise<string | undefined> {
  if (source === undefined) return undefined;
  const [, kind, place = ""] = /^(env|file):(.+)$/s.exec(source) ?? [];
  const unusable = (why: string) =>
    new SkepError("USAGE", `Cannot use --client-secret ${source}: ${why}`, {
      argument: "--client-secret",
    });
  if (kind === undefined) throw unusable("write env:NAME or file:/path");
  try {
    const text = kind === "env"
      ? host.env(place)
      : await host.files.readText(place, settings.limits.maxKeyBytes);
    if (text?.trim()) return text.trim();
  } catch (error) {
    throw unusable(messageOf(error));
  }
  throw unusable("there is nothing in it");
}

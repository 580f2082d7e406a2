import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { inWorkspace } from "../persona/interpolate.ts";
import { wideningLines, widenings } from "../sandbox/accept/widenings.ts";
import { auditOf } from "../sandbox/audit.ts";
import { type AuditLine, type AuditLook, layOut } from "../sandbox/audit_layout.ts";
import { checkWorkspace } from "../sandbox/check_workspace.ts";
import { type Launch, prepareLaunch } from "../sandbox/launch.ts";
import { isSurprise } from "../sandbox/probe/probe_result.ts";
import { printable, renderAudit } from "../sandbox/render_audit.ts";
import { secretFiles } from "../sandbox/secret_files.ts";
import type { Origin, ServerSpec } from "../sandbox/spec.ts";
import { checkGrants, writeGrants } from "./audit_lock.ts";
import { probeLine, probeServer, probeSummary } from "./audit_probe.ts";
import { showAccesses } from "./audit_session.ts";
import { chosenServers } from "./chosen_servers.ts";
import type { Invocation } from "./flags.ts";
import type { GrantSource } from "./grant_sources.ts";
import { prepareRun, type Run } from "./prepare_run.ts";
import { sessionRules } from "./session_rules.ts";
import { untilSignal } from "./stopping.ts";
import { ofNoServer } from "./unmatched.ts";

/** What `skep audit` does instead of showing, or besides. */
const MODES = ["probe", "accept", "write", "check"] as const;

/**
 * `skep audit [SERVER]`: what each server may touch, where each entry comes from, the exact command line, and
 * what is not confined. Nothing is started. Exit 3 when a server is refused.
 *
 * `--probe` tries to break each grant, exit 3 when something got through. `--accept` keeps that a person has
 * accepted what is shown. `--write` and `--check` record what the servers ask for, and hold it against the
 * record, exit 3 when it is more. `--session` shows the access log of one, see {@linkcode showAccesses}.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  const [mode, other] = MODES.filter((each) => invocation.has(each));
  if (other !== undefined) {
    throw new SkepError("USAGE", `skep audit does one of --${mode} and --${other} at a time`, {
      argument: `--${other}`,
    });
  }
  const [name] = invocation.positionals;
  const session = invocation.value("session");
  if (session !== undefined) {
    const beside = name ?? (mode && `--${mode}`);
    if (beside === undefined) return showAccesses(session, invocation, host);
    const message = `skep audit --session shows all servers of a session: leave out "${beside}"`;
    throw new SkepError("USAGE", message, { argument: beside });
  }
  if (name !== undefined && mode !== undefined && mode !== "probe") {
    const message = `skep audit --${mode} is about all servers: leave out "${name}"`;
    throw new SkepError("USAGE", message, { argument: name });
  }
  return untilSignal(host, async (signal) => {
    await using run = await prepareRun(invocation, host);
    for (const notice of run.notices) host.warn(notice);
    const rules = sessionRules(run.persona, run.settings.policy, host.env);
    for (const line of ofNoServer(rules, run.servers)) host.warn(line);
    if (mode === "write") return await writeGrants(run, host);
    if (mode === "check") return await checkGrants(run, host);
    return await showAll(
      chosenServers([...run.servers, ...run.hooks], name),
      run,
      host,
      signal,
      mode,
    );
  });
}

/** Shows each server, and what a person has to say to it. */
async function showAll(
  specs: readonly ServerSpec[],
  run: Run,
  host: Host,
  signal: AbortSignal,
  mode: typeof MODES[number] | undefined,
): Promise<number> {
  const isAccepting = mode === "accept";
  // A pack that nobody has accepted does not start at all: shown is what it would get.
  const isAccepted = async (origin: Origin) =>
    isAccepting || origin.kind === "pack" || await run.consent.isAccepted(origin);
  const view = { run, host, signal, isAccepted, isProbing: mode === "probe" };
  const isHeld = await showServers(specs, view);
  for (const source of run.consent.sources) await tellStanding(source, run, host, isAccepting);
  return isHeld ? 0 : 3;
}

/** Shows servers one by one. False when one is refused, or a grant does not hold. */
export async function showServers(specs: readonly ServerSpec[], view: View): Promise<boolean> {
  const { run, host } = view;
  let isHeld = true;
  for (const [index, spec] of specs.entries()) {
    if (index > 0 && !run.settings.isJson) await host.print("\n");
    const isAsItShould = await show(spec, view);
    isHeld &&= isAsItShould;
  }
  return isHeld;
}

async function tellStanding(
  source: GrantSource,
  { consent }: Run,
  host: Host,
  isAccepting: boolean,
): Promise<void> {
  const { title } = source;
  const standing = await consent.standing(source);
  if (isAccepting) {
    if (standing.kind === "trusted") {
      host.warn(`${title} needs nobody's word: nothing was changed`);
      return;
    }
    await consent.accept(source);
    host.warn(`Accepted: the servers of ${title} may do what is shown above`);
  } else if (standing.kind === "new") {
    const effect = source.kind === "pack" ? "do not start" : "get the workspace at most";
    host.warn(
      `Not accepted: the servers of ${title} ${effect} until you accept what they ask for: ${
        consent.command(source)
      }`,
    );
  } else if (standing.kind === "widened") {
    host.warn(`Not accepted: ${title} asks for more than you have accepted:`);
    for (const line of wideningLines(standing.widenings)) host.warn(`  ${line}`);
    host.warn(`To accept that too: ${consent.command(source)}`);
  }
}

/** What showing servers takes. */
export interface View {
  readonly run: Run;
  readonly host: Host;
  readonly signal: AbortSignal;
  /** Which of them are shown with all that they ask for. */
  readonly isAccepted: (origin: Origin) => Promise<boolean>;
  /** Whether their grants are tried, too. */
  readonly isProbing?: boolean;
}

/** Shows one server. False when it is refused, or when its grant does not hold. */
async function show(spec: ServerSpec, view: View): Promise<boolean> {
  const { run, host, signal, isAccepted, isProbing } = view;
  const { cwd, isJson } = run.settings;
  const context = await run.context(cwd, signal);
  await checkWorkspace(context);
  let launch: Launch;
  try {
    if (spec.problem !== undefined) throw spec.problem;
    launch = await prepareLaunch(inWorkspace(spec, cwd), { ...context, isAccepted });
  } catch (error) {
    await showRefused(spec, messageOf(error), view);
    return false;
  }
  const acceptance = (await run.consent.standingOf(launch.grant.source))?.kind;
  const shown = auditOf(launch);
  const secret = await secretFiles(launch.grant, host.files);
  const cautions = secret.length === 0 ? shown.cautions : [
    ...shown.cautions,
    `reads ${secret.join(", ")} in the workspace, with what looks like secrets in it`,
  ];
  const audit = { ...shown, cautions, ...(acceptance === undefined ? {} : { acceptance }) };
  await launch.release();
  // Written as it is: what is not ours in it was made printable, and colours are ours.
  if (!isJson) await host.write(new TextEncoder().encode(renderAudit(audit, lookOf(host))));
  if (!isProbing) {
    if (isJson) await host.print(`${JSON.stringify(audit)}\n`);
    return true;
  }
  if (!isJson) await host.print("  attempts to break it\n");
  let printing = Promise.resolve();
  const probes = await probeServer(spec, run, host, signal, isAccepted, (result) => {
    if (!isJson) printing = printing.then(() => host.print(probeLine(result)));
  });
  await printing;
  if (isJson) await host.print(`${JSON.stringify({ ...audit, probes })}\n`);
  else for (const line of probeSummary(probes)) await host.print(`  ${line}\n`);
  return !probes.some(isSurprise);
}

/** A terminal that does not tell its width. */
const USUAL_COLUMNS = 80;

function lookOf(host: Pick<Host, "isTerminal" | "columns" | "env">): AuditLook {
  if (!host.isTerminal("stdout")) return { isColored: false };
  return {
    columns: host.columns() ?? USUAL_COLUMNS,
    isColored: !host.env("NO_COLOR") && host.env("TERM") !== "dumb",
  };
}

/** A server that cannot start as things are, with all that it asks for: it may start another day. */
async function showRefused(spec: ServerSpec, refused: string, { run, host }: View): Promise<void> {
  const { name, origin } = spec;
  const asked = run.consent.sources.filter(({ kind }) => kind === origin.kind)
    .flatMap(({ requests }) => requests).find(({ server }) => server === name);
  if (run.settings.isJson) {
    await host.print(`${JSON.stringify({ server: name, refused, ...asked && { asked } })}\n`);
    return;
  }
  const all = asked === undefined ? [] : widenings([], [asked], host.platform.os);
  const lines = all.map((each) =>
    each.field === "server" ? { ...each, field: "command" as const } : each
  );
  const [, ...entries] = wideningLines(lines);
  const list: AuditLine[] = entries.length === 0 ? [] : [
    { text: "  what it asks for", tone: "title" },
    ...entries.map((line) => ({ text: `  ${printable(line)}`, hang: 8 })),
  ];
  const first = { text: printable(`${name}: ${refused}`), hang: 2, tone: "danger" } as const;
  for (const line of layOut([first, ...list], lookOf(host))) {
    await host.write(new TextEncoder().encode(`${line}\n`));
  }
}

import { showExactly } from "../approval/show_exactly.ts";
import { explain, type Explanation } from "../explanation.ts";
import type { Host } from "../host/host.ts";
import { READ_ARTIFACT } from "../mcp/elide.ts";
import type { Registry } from "../mcp/registry.ts";
import { type RegistryFacts, whyTool } from "../mcp/why_tool.ts";
import { LOAD_SKILL } from "../prompt/skills_section.ts";
import { findSkills } from "../prompt/find_skills.ts";
import { type SkillSearch, whySkill } from "../prompt/why_skill.ts";
import { FIND_TOOL } from "../session/find_tool_tool.ts";
import { nearest } from "../suggest.ts";
import type { Invocation } from "./flags.ts";
import type { Run } from "./prepare_run.ts";
import { registryFacts } from "./registry_facts.ts";
import { withServers } from "./with_servers.ts";
import { hintsOffBy } from "./settings.ts";

/**
 * `skep why NAME…`: why a server, tool, hook or skill is, or is not, there for the model: the checks in
 * order up to the one that keeps it away, and what to do. Exits with 1 when nothing goes by a name.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return withServers(invocation, host, async (run, registry) => {
    const facts = await registryFacts(run, registry, host);
    const search = await skillSearch(run, invocation, host);
    const look = (name: string) => whyNamed(name, facts, search, run, registry, host);
    let isUnknown = false;
    for (const name of invocation.positionals) {
      for (const each of await look(name)) {
        isUnknown ||= each.kind === "unknown";
        await host.print(run.settings.isJson ? `${JSON.stringify(each)}\n` : inWords(each));
      }
    }
    return isUnknown ? 1 : 0;
  });
}

/** All that goes by a name: at least one explanation, be it that nothing does. */
async function whyNamed(
  name: string,
  facts: RegistryFacts,
  search: SkillSearch,
  { settings: { limits } }: Run,
  { hasHidden }: Registry,
  { files }: Pick<Host, "files">,
): Promise<readonly Explanation[]> {
  const skill = await whySkill(name, search, files, limits);
  const { skills } = search.offBy === undefined
    ? await findSkills(search, files, limits)
    : { skills: search.pack };
  const found = [
    ...whyBuiltIn(name, hasHidden, skills.length > 0),
    ...whyTool(name, facts),
    ...(skill === undefined ? [] : [skill]),
  ];
  if (found.length > 0) return found;
  const known = [
    ...facts.servers.map((server) => server.name),
    ...facts.inventory.flatMap((tool) => [tool.name, tool.own]),
    ...skills.map((each) => each.name),
  ];
  return [whyUnknown(name, known.filter((each) => each !== ""), facts, skills.length)];
}

async function skillSearch(
  { persona, settings }: Run,
  invocation: Invocation,
  { env, files, platform }: Host,
): Promise<SkillSearch> {
  const home = env(platform.os === "windows" ? "USERPROFILE" : "HOME");
  const offBy = hintsOffBy(invocation, env) ??
    (persona.hints ? undefined : `hints: false in ${persona.file}`);
  return {
    cwd: await files.realPath(settings.cwd),
    home: home === "" ? undefined : home,
    pack: persona.skills,
    packFolder: persona.pack,
    offBy,
  };
}

function whyBuiltIn(name: string, hasHidden: boolean, hasSkills: boolean): Explanation[] {
  const conditions: Readonly<Record<string, [isMet: boolean, passed: string, fault: string]>> = {
    [LOAD_SKILL]: [hasSkills, "there are skills", "there are no skills"],
    [FIND_TOOL]: [hasHidden, "there are hidden tools", "no tool is hidden: all of them are shown"],
    [READ_ARTIFACT]: [false, "", "it is listed from the first result on that is cut"],
  };
  const own = conditions[name];
  if (own === undefined) return [];
  const [isMet, passed, fault] = own;
  return [explain("built-in", name, [
    { what: "need", passed, fault: isMet ? undefined : fault },
  ])];
}

function whyUnknown(
  name: string,
  known: readonly string[],
  { servers, inventory }: RegistryFacts,
  skills: number,
): Explanation {
  const near = nearest(name, known);
  return explain("unknown", name, [{
    what: "name",
    passed: "",
    fault:
      `none of the servers (${servers.length}), tools (${inventory.length}) and skills (${skills}) has it`,
    advice: near === undefined
      ? "skep tools lists the tools, skep prompt the skills; --persona, --cwd and --mcp decide where is looked"
      : `did you mean ${near}?`,
  }]);
}

const MARKS = { passed: "ok", noted: "note", failed: "NO" } as const;

function inWords({ kind, name, isThere, checks, advice }: Explanation): string {
  const width = Math.max(...checks.map(({ what }) => what.length));
  const head = kind === "unknown"
    ? `${name === "" ? '""' : name}: nothing goes by this name`
    : kind === "server"
    ? `${name}: a server, ${isThere ? "there" : "not there"}`
    : `${name}: a ${kind}, ${isThere ? "there for the model" : "not there for the model"}`;
  const lines = [
    head,
    ...checks.map(({ what, outcome, text }) =>
      `  ${MARKS[outcome].padEnd(4)}  ${what.padEnd(width)}  ${text}`
    ),
    ...(advice === undefined ? [] : [`  What to do: ${advice}`]),
  ];
  // No text of a server or a skill may look like a line of ours.
  return `${lines.map(showExactly).join("\n")}\n`;
}

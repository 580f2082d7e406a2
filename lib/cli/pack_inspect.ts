import { showExactly } from "../approval/show_exactly.ts";
import type { Host } from "../host/host.ts";
import { type InspectedPersona, inspectPersona, type Overrides } from "../persona/inspect.ts";
import type { Pack } from "../persona/pack.ts";
import type { Invocation } from "./flags.ts";
import { readGivenPack } from "./read_given_pack.ts";
import { readSettings } from "./settings.ts";

/**
 * `skep pack inspect PACK`: what each persona of a pack comes to, and where each field comes from. Values of
 * variables are not shown.
 *
 * @throws {SkepError} `PERSONA_INVALID` for the first thing that keeps the pack from loading.
 */
export async function run(
  [path = ""]: readonly string[],
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const { cwd, isJson, limits } = await readSettings(invocation, host);
  const { pack, problems } = await readGivenPack(path, cwd, host, limits);
  problems.throwFirst();
  const overrides = operatorsOwn(invocation, host);
  const personas = pack!.personas.map((persona) => inspectPersona(persona, pack!, overrides));
  const { folder, manifest } = pack!;
  const { form, id, name, version, description, author, license, homepage } = manifest;
  if (isJson) {
    const head = { folder, form, id, name, version, description, author, license, homepage };
    await host.print(`${JSON.stringify({ ...head, personas })}\n`);
  } else {
    // No text of a pack may look like a line of ours.
    const lines = [...packLines(pack!), ...personas.flatMap(personaLines)].map(showExactly);
    await host.print([...lines, ""].join("\n"));
  }
  return 0;
}

/** What the operator's flags and variables say, which wins over what a persona does. */
function operatorsOwn(invocation: Invocation, { env }: Pick<Host, "env">): Overrides {
  const flag = invocation.value("model");
  const variables = { model: "SKEP_MODEL", thinking: "SKEP_THINKING_EFFORT" };
  const found = Object.entries(variables).flatMap(([field, variable]) => {
    const value = env(variable)?.trim() ?? "";
    return value === "" ? [] : [[field, { value, origin: variable }] as const];
  });
  return {
    ...Object.fromEntries(found),
    ...(flag === undefined ? {} : { model: { value: flag, origin: "--model" } }),
  };
}

function packLines({ folder, manifest }: Pack): string[] {
  const { name, id, version, description, author, license } = manifest;
  return [
    `${name} (${id}) ${version}`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...rows({ folder, author, license }),
  ];
}

function personaLines(persona: InspectedPersona): string[] {
  const { servers, skills, hooks, fields, limits, secrets } = persona;
  const list = (values: readonly string[]) => values.length === 0 ? undefined : values.join(", ");
  return [
    "",
    `${persona.name}: ${persona.display_name}`,
    `  ${persona.description}`,
    ...rows({
      file: persona.file,
      version: persona.version,
      author: persona.author,
      avatar: persona.avatar,
      runtime: persona.runtime,
      prompt: `${persona.prompt_bytes} bytes`,
      "team instructions": persona.team_instructions_bytes === 0
        ? undefined
        : `${persona.team_instructions_bytes} bytes`,
      ...Object.fromEntries(
        Object.entries(fields).map(([name, { value, origin }]) => [
          name,
          `${typeof value === "string" ? value : JSON.stringify(value)} (${origin})`,
        ]),
      ),
      permissions: persona.permissions && JSON.stringify(persona.permissions),
      approvals: persona.approvals && JSON.stringify(persona.approvals),
      limits: list(Object.entries(limits).map(([name, value]) => `${name} ${value}`)),
      env: list(persona.env),
      secrets: list(Object.entries(secrets).map(([name, source]) => `${name} from ${source}`)),
      hints: persona.hints ? "on" : "off",
      skills: list(skills.map(({ name }) => name)),
      hooks: list(Object.entries(hooks).map(([point, { script }]) => `${point} ${script}`)),
      "not used in chat and acp": list(persona.not_used),
    }),
    ...servers.flatMap(({ name, command, env, permissions, disabled_tools, origin }) => [
      `  server ${name} (${origin}): ${command.join(" ")}`,
      ...rows({
        env: list(env),
        permissions: permissions === undefined ? "the default grant" : JSON.stringify(permissions),
        "without the tools": list(disabled_tools ?? []),
      }, "    "),
    ]),
  ];
}

function rows(values: Readonly<Record<string, unknown>>, indent = "  "): string[] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${indent}${name.replaceAll("_", " ")}: ${value}`);
}

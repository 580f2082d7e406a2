import { dirname, join } from "@std/path";
import type { ServerCommand } from "./command.ts";
import { isAbsolutePath, type Os } from "./paths.ts";
import { hostAndPort, remoteAddress } from "./remote.ts";
import type { Permissions, ServerSpec } from "./spec.ts";

/** What a known server needs, in place of the default grant. */
export interface Profile {
  /** A few words for the audit, such as `profile dev`. */
  readonly origin: string;
  readonly permissions: Permissions;
}

type Rule = (
  spec: Pick<ServerSpec, "args" | "env">,
  args: readonly string[],
  os: Os,
) => Permissions;

const MEMORY = "@modelcontextprotocol/server-memory";

/** The servers that ship with skep. */
const BUNDLED: Readonly<Record<string, Rule>> = {
  dev: () => ({
    read: ["${WORKSPACE}", "${HOME}"],
    write: ["${WORKSPACE}", "${TMP}", "${HOME}"],
    run: ["bash"],
  }),
  // The one host that it bridges to.
  bridge: ({ env }) => {
    const address = remoteAddress(env);
    return address === undefined ? {} : { net: [hostAndPort(address)] };
  },
  login: () => ({}),
};

/**
 * The smallest grants that well-known servers work with, measured under Deno 2.9; each also reads its
 * own package.
 */
const PACKAGES: Readonly<Record<string, Rule>> = {
  "@modelcontextprotocol/server-filesystem": (_spec, args, os) => {
    const folders = args.filter((each) => !each.startsWith("-"))
      .map((each) => isAbsolutePath(each, os) ? each : `\${WORKSPACE}/${each}`);
    return { read: folders, write: folders };
  },
  "@modelcontextprotocol/server-everything": () => ({}),
  "@modelcontextprotocol/server-sequential-thinking": () => ({}),
  // It renames a temporary file over its own, so it needs the folder.
  [MEMORY]: ({ env: { MEMORY_FILE_PATH: file } }, _args, os) => {
    const folders = file !== undefined && isAbsolutePath(file, os) ? [dirname(file)] : [];
    return { read: folders, write: folders, env: ["MEMORY_FILE_PATH"] };
  },
  "@upstash/context7-mcp": () => ({ net: ["context7.com:443", "mcp.context7.com:443"] }),
  // A browser is a program: without a `run` grant the server answers and starts none.
  "@playwright/mcp": () => ({ sys: ["homedir", "osRelease", "cpus"] }),
};

/** The default grant: what a server gets whose owner declares nothing. `${TMP}` is everybody's. */
export const DEFAULT_PROFILE: Profile = {
  origin: "default grant",
  permissions: { read: ["${WORKSPACE}"], write: ["${TMP}"] },
};

/** The profile of a server that declares nothing: its own when it is known, else the default grant. */
export function profileOf(
  command: ServerCommand,
  spec: Pick<ServerSpec, "args" | "env">,
  os: Os,
): Profile {
  const [name, rules] = command.kind === "bundled"
    ? [command.name, BUNDLED]
    : command.kind === "npm"
    ? [command.package, PACKAGES]
    : ["", {}];
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) return DEFAULT_PROFILE;
  return { origin: `profile ${name}`, permissions: rule(spec, command.args, os) };
}

/** What a known server is told where its owner did not, and what the person must know of it. */
export interface ProfileEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** The rest of a sentence about the server. */
  readonly notices: readonly string[];
}

/**
 * The variables without which a known server would write where it may not. `server-memory` keeps its graph
 * beside its own code unless told otherwise, where the next version would not find it either.
 *
 * @param tmp The server's private folder.
 */
export function profileEnvironment(
  command: ServerCommand,
  { env, permissions }: Pick<ServerSpec, "env" | "permissions">,
  tmp: string,
): ProfileEnvironment {
  const isMemory = command.kind === "npm" && command.package === MEMORY;
  if (!isMemory || permissions !== undefined || env.MEMORY_FILE_PATH !== undefined) {
    return { env: {}, notices: [] };
  }
  return {
    env: { MEMORY_FILE_PATH: join(tmp, "memory.jsonl") },
    notices: [
      "keeps its memory in its private folder, which goes with the session: for one that stays, set " +
      "MEMORY_FILE_PATH in its env to a file's absolute path",
    ],
  };
}

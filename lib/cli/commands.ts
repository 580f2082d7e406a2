import type { Command, Flag } from "./command.ts";

/** Flags that every command takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  {
    name: "persona",
    value: "PACK[#NAME]",
    summary: "a shipped persona, a pack's folder, or a persona file",
  },
  {
    name: "cwd",
    value: "DIR",
    summary: "the workspace; the current folder unless given",
    isRepeatable: true,
  },
  { name: "model", value: "PROVIDER:MODEL", summary: "the model that answers" },
  {
    name: "mcp",
    value: "FILE",
    summary: "adds the servers of a Claude-desktop-style file",
    isRepeatable: true,
  },
  {
    name: "policy",
    value: "FILE",
    summary: "what servers may have at most; policy.yaml of the configuration folder unless given",
  },
  {
    name: "sandbox",
    value: "auto|bwrap|unshare|landlock|seatbelt|off",
    summary: "what confines servers; off: nothing but Deno's flags, programs included",
  },
  {
    name: "no-hints",
    summary: "read no AGENTS.md and no skills of the workspace and the home folder",
  },
  { name: "offline", summary: "fetch nothing for servers: what is not there is an error" },
  { name: "json", summary: "data as JSON on stdout, messages as JSON on stderr" },
  { name: "help", short: "h", summary: "show this help" },
];

/** Every command of this build, in the order of help. */
export const COMMANDS: readonly Command[] = [
  {
    name: "chat",
    summary: "talk to a persona in the terminal; with -p or piped stdin, answer once and exit",
    usage: "chat [-p TEXT] [--continue | --resume ID | --fork ID]",
    flags: [
      { name: "prompt", short: "p", value: "TEXT", summary: "answer this once and exit" },
      { name: "continue", short: "c", summary: "go on with the last session of this folder" },
      { name: "resume", value: "ID", summary: "go on with this session, in its own folder" },
      { name: "fork", value: "ID", summary: "go on with a copy of this session" },
    ],
    positionals: [0, 0],
    load: () => import("./chat.ts"),
  },
  {
    name: "acp",
    summary: "ACP agent on stdio, for editors and other clients",
    usage: "acp",
    flags: [],
    positionals: [0, 0],
    load: () => import("./acp.ts"),
  },
  {
    name: "tools",
    summary: "the tool list as the model sees it",
    usage: "tools",
    flags: [],
    positionals: [0, 0],
    load: () => import("./tools.ts"),
  },
  {
    name: "why",
    summary: "why a server, tool or skill is not there for the model, step by step, and what to do",
    usage: "why NAME…",
    flags: [],
    positionals: [1, 100],
    load: () => import("./why.ts"),
  },
  {
    name: "call",
    summary: "one tool call under its grant, no model",
    usage: "call TOOL [JSON]",
    flags: [],
    positionals: [1, 2],
    load: () => import("./call.ts"),
  },
  {
    name: "audit",
    summary: "per server: what it may touch and who said so; --probe tries to break it",
    usage: "audit [SERVER] [--probe|--accept|--write|--check|--session ID]",
    flags: [
      {
        name: "probe",
        summary: "try to break each grant from inside; exit 3 if anything gets out",
      },
      { name: "accept", summary: "accept what the pack, or the workspace's server file, asks for" },
      { name: "write", summary: "record what the servers ask for in grants.lock, beside the pack" },
      { name: "check", summary: "exit 3 when they ask for more than grants.lock has" },
      {
        name: "session",
        value: "ID",
        summary:
          "what a session's servers accessed and were denied, where SKEP_LOG_ACCESS=1 logged it",
      },
    ],
    positionals: [0, 1],
    load: () => import("./audit.ts"),
  },
  {
    name: "learn",
    summary: "try a server in a throwaway confinement, and propose its smallest grant",
    usage: "learn NAME [--call TOOL JSON]…",
    flags: [
      {
        name: "call",
        value: "TOOL JSON",
        isPair: true,
        isRepeatable: true,
        summary: "a call to make",
      },
      { name: "net", value: "HOST", isRepeatable: true, summary: "a host that it may reach" },
    ],
    positionals: [1, 1],
    load: () => import("./learn.ts"),
  },
  {
    name: "mcp",
    summary:
      "a bundled server alone, for any MCP host, behind its grant; take over another file's; log in to one with a url",
    usage: "mcp dev | mcp import FILE | mcp login|logout SERVER",
    flags: [
      { name: "hooks", summary: "dev: list its hooks, whatever the host says" },
      {
        name: "without",
        value: "TOOL,…",
        isRepeatable: true,
        summary: "dev: tools that are neither listed nor callable",
      },
      {
        name: "author",
        value: "NAME <ADDRESS>",
        summary: "dev: who its shell's commits are by when the repository does not say",
      },
      { name: "client-id", value: "ID", summary: "login: as what skep is known there already" },
      {
        name: "client-secret",
        value: "env:NAME|file:PATH",
        summary: "login: where the secret of that is",
      },
      {
        name: "scope",
        value: "SCOPE",
        summary: "login: ask for this, not for what the server wants",
      },
    ],
    positionals: [1, 2],
    load: () => import("./mcp.ts"),
  },
  {
    name: "prompt",
    summary: "exactly what the model gets before the first message, with the size of each part",
    usage: "prompt",
    flags: [],
    positionals: [0, 0],
    load: () => import("./prompt.ts"),
  },
  {
    name: "pack",
    summary: "packs of personas: check one, show what it comes to, make one, move one",
    usage: "pack validate|inspect|init|export|install PACK",
    flags: [
      {
        name: "digest",
        value: "DIGEST",
        summary: "install: refuse a pack whose digest is another",
      },
      { name: "replace", summary: "export, install: replace what is there already" },
    ],
    positionals: [1, 3],
    load: () => import("./pack.ts"),
  },
  {
    name: "sessions",
    summary: "the sessions that are kept: list them, show one, move one to another machine, remove",
    usage: "sessions list | show ID | export ID [FILE] | import FILE | rm ID…",
    flags: [
      { name: "all", summary: "list: those of every folder, not only of this one" },
      { name: "replace", summary: "export: replace a file that is there already" },
    ],
    positionals: [1, 100],
    load: () => import("./sessions.ts"),
  },
  {
    name: "models",
    summary: "the models of the providers that are set: context, prices",
    usage: "models [PROVIDER]",
    flags: [],
    positionals: [0, 1],
    load: () => import("./models.ts"),
  },
  {
    name: "doctor",
    summary: "what this machine can enforce, which providers are set, what to install",
    usage: "doctor",
    flags: [],
    positionals: [0, 0],
    load: () => import("./doctor.ts"),
  },
];

import type { BackendName } from "./backend.ts";
import { canStartOthers } from "./can_start_others.ts";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { namesHost } from "./net.ts";
import { networkOf } from "./network.ts";
import { isWithin, type Os } from "./paths.ts";

/** What {@linkcode plainWords} tells of. */
export interface PlainFacts {
  readonly kind: Launch["kind"];
  readonly grant: Pick<
    Grant,
    "read" | "write" | "net" | "run" | "secrets" | "workspace" | "addedFolders" | "env" | "tmp"
  >;
  /** Names of the variables that hold a secret, whoever set them. */
  readonly secretNames: readonly string[];
  /** Its private home folder. */
  readonly home: string;
  readonly backend: BackendName | undefined;
  readonly os: Os;
}

/**
 * What a server may touch, in sentences that a person understands who has never seen a grant: files,
 * programs, network, secrets, and what holds it to that.
 */
export function plainWords(facts: PlainFacts): string[] {
  return [files(facts), programs(facts), network(facts), secrets(facts), holder(facts)];
}

function files({ grant, home, os }: PlainFacts): string {
  const { read, write, workspace, tmp } = grant;
  const isPrivate = (path: string) => [tmp, home].some((folder) => isWithin(path, folder, os));
  const named = (path: string) => path === workspace ? `the workspace ${path}` : path;
  const written = write.map(({ value }) => value).filter((path) => !isPrivate(path));
  const readOnly = read.filter(({ origin }) => origin !== "own files").map(({ value }) => value)
    .filter((path) => !isPrivate(path) && !written.includes(path));
  const reads = list(readOnly.map(named));
  const changes = list(written.map(named));
  if (written.length === 0 && readOnly.length === 0) return "It sees none of your files.";
  if (written.length === 0) return `It reads ${reads}, and changes none of your files.`;
  const also = readOnly.length === 0 ? "" : ` It also reads ${reads}.`;
  return `It reads, changes and deletes files in ${changes}.${also}`;
}

function programs({ kind, grant, backend }: PlainFacts): string {
  const held = backend === undefined
    ? "and nothing limits what they do"
    : "all under these same limits";
  if (kind === "native") {
    return `It is a program of its own, and may start any other that it sees, ${held}.`;
  }
  if (grant.run.length === 0) return "It starts no programs.";
  const names = grant.run.map(({ value }) => value.split(/[\\/]/).at(-1) ?? value);
  const others = names.some(canStartOthers) ? ", and through it any program installed here" : "";
  return `It starts ${list(names)}${others}, ${held}.`;
}

function network({ kind, grant, backend }: PlainFacts): string {
  const isHeld = backend !== undefined || (kind !== "native" && grant.run.length === 0);
  if (!isHeld) return "It reaches the whole network: nothing holds it back.";
  const values = grant.net.map(({ value }) => value);
  const hosts = values.filter(namesHost);
  const sockets = values.filter((value) => value.startsWith("unix:")).map((value) =>
    value.slice(5)
  );
  const parts = [
    ...(hosts.length === 0 ? [] : [`${list(hosts)} on the network`]),
    ...(sockets.length === 0 ? [] : [`the socket ${list(sockets)}`]),
    ...(values.some((value) => /^loopback(:|$)/.test(value)) && backend !== "bwrap" &&
        backend !== "unshare"
      ? ["other programs of this machine over loopback"]
      : []),
  ];
  return parts.length === 0
    ? "It reaches no network."
    : `It reaches ${list(parts)}, and nothing else.`;
}

/** A secret is called by where it comes from, too: its name is the server's choice. */
function secrets({ grant, secretNames }: PlainFacts): string {
  const names = secretNames.map((name) => {
    const from = grant.secrets.find(({ value }) => value === name)?.from;
    return from === undefined || from === `env:${name}` ? name : `${name} (${from})`;
  });
  return names.length === 0
    ? "It is given no secrets: your keys and variables stay outside."
    : `It is given the secret${names.length === 1 ? "" : "s"} ${
      list(names)
    }: your other keys and variables stay outside.`;
}

function holder({ kind, grant, backend }: PlainFacts): string {
  if (backend !== undefined) {
    // It shares the machine's network then: only its own runtime tells hosts apart.
    const byDeno = networkOf(grant, kind, backend) === "shared";
    const isOwn = backend === "bwrap" || backend === "unshare";
    const written = grant.write.some(({ value }) => value === grant.workspace);
    const but = isOwn
      ? ""
      : backend === "landlock" && written
      ? " But not to all of it: protected files of the workspace can be written, and more is listed under not confined."
      : " But not to all of it: see what is not confined.";
    if (byDeno) {
      return `The operating system holds it to its files (${backend}), Deno to its part of the network.${but}`;
    }
    return `The operating system holds it to that (${backend}), with all that it starts.${but}`;
  }
  return kind === "native"
    ? "Nothing holds it to that: it can do whatever you can."
    : "Only Deno holds it to that, and not all of it: see what is not confined.";
}

function list(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

import { namesHost } from "./net.ts";
import { isWithin } from "./paths.ts";
import type { PlainFacts } from "./plain_words.ts";
import { steeringVariables } from "./steering.ts";

/**
 * What of a grant that holds a person should think about, the gravest first: each is the rest of a sentence
 * about the server.
 */
export function cautions({ grant, secretNames, home, os }: PlainFacts): string[] {
  const { read, write, net, workspace, addedFolders = [], tmp } = grant;
  const worked = [workspace, ...addedFolders];
  const hosts = net.map(({ value }) => value).filter(namesHost);
  const isPrivate = (path: string) => [tmp, home].some((folder) => isWithin(path, folder, os));
  const outside = (path: string) =>
    !isPrivate(path) && !worked.some((folder) => isWithin(path, folder, os));
  const isReading = read.some(({ value, origin }) => origin !== "own files" && !isPrivate(value));
  const sent = [
    ...(isReading ? ["what it reads"] : []),
    ...secretNames.map((name) => `the secret ${name}`),
  ];
  const written = write.map(({ value }) => value).filter(outside);
  const wide = hosts.filter((host) => host.startsWith("*."));
  return [
    ...(hosts.length > 0 && sent.length > 0
      ? [`can send ${sent.join(" and ")} to ${hosts.join(", ")}`]
      : []),
    ...steeringVariables(grant),
    ...(wide.length > 0
      ? [`reaches every name below ${wide.map((each) => each.slice(2)).join(", ")}`]
      : []),
    ...(written.length > 0
      ? [`changes files outside of the workspace: ${written.join(", ")}`]
      : []),
    ...(write.some(({ value }) => worked.some((folder) => isWithin(folder, value, os)))
      ? ["can change scripts and sources of the workspace, which you may run later"]
      : []),
  ];
}

import type { Grant } from "../sandbox/grant.ts";

/** True of a grant that lets a server change nothing but its own private folders. */
export function looksOnly({ write, run, net, tmp, home }: Grant): boolean {
  const isPrivate = (path: string) =>
    [tmp, home].some((own) => path === own || path.startsWith(`${own}/`));
  return run.length + net.length === 0 && write.every(({ value }) => isPrivate(value));
}

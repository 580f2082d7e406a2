import { BASE_ORIGIN } from "./environment.ts";
import type { Grant } from "./grant.ts";

/** Variables that have programs run something before what they were started for, and what that is. */
const STEERING: Readonly<Record<string, string>> = {
  LD_PRELOAD: "each program that it starts loads that library first",
  LD_AUDIT: "each program that it starts loads that library first",
  LD_LIBRARY_PATH: "each program that it starts takes its libraries from there",
  DYLD_INSERT_LIBRARIES: "each program that it starts loads that library first",
  BASH_ENV: "each script of bash that it starts runs that file first",
  ENV: "each shell that it starts may run that file first",
  NODE_OPTIONS: "each Node that it starts loads what it names",
  PYTHONSTARTUP: "Python may run that file first",
  PYTHONPATH: "each Python that it starts takes modules from there",
  PERL5OPT: "each Perl that it starts loads what it names",
  RUBYOPT: "each Ruby that it starts loads what it names",
};

/**
 * What an entry sets or names that steers the programs it starts, each as the rest of a sentence about the server.
 * What it does there is held to the grant all the same.
 */
export function steeringVariables({ env }: Pick<Grant, "env">): string[] {
  return env.filter(({ origin }) => origin !== BASE_ORIGIN).flatMap(({ value }) => {
    const what = STEERING[value.toUpperCase()];
    return what === undefined ? [] : [`is given ${value}: ${what}`];
  });
}

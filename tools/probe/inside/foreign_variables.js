import { bait, canaries } from "./attempt.js";

/** Names of variables that a server should not have. @throws when there are none. */
export function foreignVariables(environment) {
  const found = Object.entries(environment).filter(([name, value]) =>
    !bait.variables.includes(name) || canaries.some((each) => value.includes(each))
  );
  if (found.length === 0) throw new Error("only what is granted is there");
  return found.map(([name]) => name);
}

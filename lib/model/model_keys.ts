import type { OperatorFile, OperatorProvider } from "./operator_file.ts";

/** Where the operator keeps keys of models besides the variables that every provider has. */
export interface ModelKeys {
  readonly variables: readonly string[];
  /** Absolute paths. */
  readonly files: readonly string[];
}

/** What no server is to get of an operator's file: its variables and files hold keys. */
export function modelKeysOf({ providers }: Pick<OperatorFile, "providers">): ModelKeys {
  const own = [...providers].filter(([, { baseUrl }]) => baseUrl !== undefined);
  return {
    variables: own.map(([name, provider]) => keyVariableOf(name, provider)),
    files: [...providers.values()].flatMap(({ keyFile }) => keyFile === undefined ? [] : [keyFile]),
  };
}

/** The variable of an operator's own provider: `GROQ_API_KEY` of `groq` unless it names another. */
export function keyVariableOf(name: string, { keyVariable }: OperatorProvider): string {
  return keyVariable ?? `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

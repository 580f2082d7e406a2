import { SkepError } from "../errors.ts";
import { forgetLogins } from "./oauth_token.ts";
import { readOperatorFile } from "./operator_file.ts";
import { findProvider } from "./providers.ts";
import type { ModelWorld } from "./world.ts";

/**
 * Has a person log in to a provider, unless a login is kept that still counts: asks it for its models.
 *
 * @throws {SkepError} `MODEL_UNKNOWN` for a provider that nobody logs in to, and what asking throws.
 */
export async function logIn(provider: string, world: ModelWorld): Promise<void> {
  const operator = await readOperatorFile(world);
  const found = findProvider(provider, operator);
  if (found?.endpoint?.isKeyOptional !== true || found.list === undefined) {
    const message = `Nobody logs in to the provider "${provider}"`;
    throw new SkepError("MODEL_UNKNOWN", message, { model: provider });
  }
  await found.list(world, operator);
}

/** Forgets the logins of a provider that are kept. A model that is open goes on until its token ends. */
export async function logOut(
  provider: string,
  world: Pick<ModelWorld, "configFolder" | "files">,
): Promise<void> {
  await forgetLogins(provider, world);
}

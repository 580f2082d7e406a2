import type { ModelUse } from "./ai_sdk.ts";
import { CHAT_DIALECT } from "./chat_dialect.ts";
import { databricksRoute } from "./databricks_route.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KnownModel } from "./model.ts";
import { type ChatBody, openOpenAICompatible, withNewName } from "./openai_compatible.ts";
import type { ModelWorld } from "./world.ts";

/** A serving endpoint of a Databricks workspace: Chat Completions, the model named by the path alone. */
export function openDatabricks(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
): KnownModel {
  const place = `${endpoint.baseUrl}/serving-endpoints/${model}/invocations`;
  return openOpenAICompatible(model, endpoint, world, use, {
    dialect: DATABRICKS_DIALECT,
    body: (body) => {
      const { model: _, ...rest } = databricksBody(body);
      return rest;
    },
    through: (send) => (_url, init) => send(place, init),
  });
}

/** A model behind Databricks' AI gateway, in the protocol that the endpoint's name speaks for. */
export async function openDatabricksV2(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
): Promise<KnownModel> {
  const gateway = `${endpoint.baseUrl}/ai-gateway`;
  const route = databricksRoute(model);
  switch (route) {
    case "responses": {
      const { openResponses } = await import("./responses.ts");
      return openResponses(model, endpoint, world, use, { baseUrl: `${gateway}/openai/v1` });
    }
    case "anthropic": {
      const { openAnthropic } = await import("./anthropic.ts");
      const options = { baseUrl: `${gateway}/anthropic/v1`, isBearer: true };
      return openAnthropic(model, endpoint, world, use, options);
    }
    case "chat":
      return openOpenAICompatible(model, endpoint, world, use, {
        dialect: DATABRICKS_DIALECT,
        baseUrl: `${gateway}/mlflow/v1`,
        body: databricksBody,
      });
    default:
      return route satisfies never;
  }
}

/** The models of many makers stand behind it, most of which refuse a field that they do not know. */
const DATABRICKS_DIALECT = { ...CHAT_DIALECT, replayedReasoning: "none" } as const;

/** It tells the tokens unasked, and refuses to be asked. */
function databricksBody(body: ChatBody): ChatBody {
  const { stream_options: _, ...rest } = withNewName(body);
  return rest;
}

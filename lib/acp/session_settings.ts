import type { SetSessionConfigOptionResponse } from "@agentclientprotocol/sdk";
import { EFFORTS } from "../model/effort.ts";
import type { Client } from "./client.ts";
import type { Entry } from "./entry.ts";
import { invalid, readParams } from "./params.ts";
import { MODES, NO_EFFORT, OPTION_IDS } from "./session_options.ts";
import type { Sessions, SessionsOptions } from "./sessions.ts";

/**
 * What a client sets a session to, by any of the ways there are: ACP's options, its modes, and the
 * model as buzz-agent has it. A client that knows one of them is told of the others' changes.
 */
export class SessionSettings {
  readonly #resolveModel: SessionsOptions["resolveModel"];
  readonly #sessions: Sessions;
  readonly #client: Client;

  constructor(
    { resolveModel }: Pick<SessionsOptions, "resolveModel">,
    sessions: Sessions,
    client: Client,
  ) {
    this.#resolveModel = resolveModel;
    this.#sessions = sessions;
    this.#client = client;
  }

  /**
   * `session/set_config_option`. A model and how it thinks count for turns that start after the reply,
   * a mode for calls that come from now on.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`, `INVALID_PARAMS`, and what finding the model throws.
   */
  async setOption(params: unknown): Promise<SetSessionConfigOptionResponse> {
    const method = "session/set_config_option";
    const given = readParams(method, params);
    const entry = this.#sessions.find(method, given);
    const { configId, value } = given;
    const option = this.#sessions.optionsOf(entry).find(({ id }) => id === configId);
    if (option === undefined) {
      const known = this.#sessions.optionsOf(entry).map(({ id }) => id).join(", ");
      throw invalid(method, `configId must be one of ${known}`);
    }
    if (typeof value !== "string" || value.trim() === "") {
      throw invalid(method, `the value of ${option.id} must be text that is not blank`);
    }
    if (option.id === OPTION_IDS.model) await this.#useModel(entry, value.trim());
    else if (option.id === OPTION_IDS.effort) await this.#useEffort(method, entry, value);
    else {
      await this.#useMode(method, entry, value);
      const sessionUpdate = "current_mode_update";
      this.#client.tell(entry.session.id, { sessionUpdate, currentModeId: entry.session.mode });
    }
    return { configOptions: this.#sessions.optionsOf(entry) };
  }

  /**
   * `session/set_model`, for turns that start after its reply.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`, `INVALID_PARAMS`, and what finding the model throws.
   */
  async setModel(params: unknown): Promise<{ sessionId: string; modelId: string }> {
    const method = "session/set_model";
    const given = readParams(method, params);
    const entry = this.#sessions.find(method, given);
    const { modelId } = given;
    if (typeof modelId !== "string" || modelId.trim() === "") {
      throw invalid(method, "modelId must be text that is not blank");
    }
    await this.#useModel(entry, modelId.trim());
    this.#sessions.tellOptions(entry);
    return { sessionId: entry.session.id, modelId };
  }

  /** `session/set_mode`. @throws {SkepError} `SESSION_UNKNOWN`, `INVALID_PARAMS`. */
  async setMode(params: unknown): Promise<Record<string, never>> {
    const method = "session/set_mode";
    const given = readParams(method, params);
    const entry = this.#sessions.find(method, given);
    await this.#useMode(method, entry, given.modeId);
    this.#sessions.tellOptions(entry);
    return {};
  }

  async #useModel(entry: Entry, id: string): Promise<void> {
    const { session, effort } = entry;
    const model = await this.#resolveModel(id, { beside: session.modelId, effort });
    (await entry.awake()).setModel(model, effort);
    this.#sessions.tellCommands(entry);
    await this.#sessions.learnModels(model.id).catch(() => {}); // its provider will say why
  }

  async #useEffort(method: string, entry: Entry, value: string): Promise<void> {
    const effort = EFFORTS.find((each) => each === value);
    if (effort === undefined && value !== NO_EFFORT) {
      throw invalid(method, `the value of ${OPTION_IDS.effort} must be one of those listed`);
    }
    const { modelId } = entry.session;
    const model = await this.#resolveModel(modelId, { beside: modelId, effort });
    (await entry.awake()).setModel(model, effort);
    entry.effort = effort;
  }

  async #useMode(method: string, entry: Entry, id: unknown): Promise<void> {
    const mode = MODES.find((each) => each.id === id);
    if (mode === undefined) {
      throw invalid(method, `the mode must be one of ${MODES.map(({ id }) => id).join(", ")}`);
    }
    (entry.live ?? await entry.awake()).setMode(mode.id);
  }
}

// @ts-types="@modelcontextprotocol/sdk/shared/protocol"
import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
// @ts-types="@modelcontextprotocol/sdk/shared/transport"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  type ClientCapabilities,
  EmptyResultSchema,
  LATEST_PROTOCOL_VERSION,
  type Notification,
  type Request,
  type Result,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { INITIALIZED, type InitializeResult } from "./wire.ts";

/** Bounds of one request, in the SDK's words. `timeout` in milliseconds. */
export interface RequestBounds {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/**
 * The client's end of MCP over the SDK's protocol, with loose schemas of our own. The SDK's `Client` would
 * do the same; it loads a JSON schema validator that nothing here asks for, which takes a fifth of what a
 * session takes to open.
 */
export class McpClient extends Protocol<Request, Notification, Result> {
  readonly #info: { readonly name: string; readonly version: string };
  readonly #capabilities: ClientCapabilities;
  #server: InitializeResult | undefined;

  constructor(
    info: { readonly name: string; readonly version: string },
    capabilities: ClientCapabilities,
  ) {
    super();
    this.#info = info;
    this.#capabilities = capabilities;
  }

  /** What the server said of itself, once it is initialized. */
  get server(): InitializeResult | undefined {
    return this.#server;
  }

  /**
   * Initializes the server.
   *
   * @throws when it answers with an error or in a version that is not known, when the signal is aborted, and
   * when the transport breaks; then the transport is closed.
   * @see MCP, lifecycle, https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
   */
  async initialize(transport: Transport, bounds: RequestBounds): Promise<void> {
    await super.connect(transport);
    try {
      const params = {
        protocolVersion: LATEST_PROTOCOL_VERSION,
        capabilities: this.#capabilities,
        clientInfo: { ...this.#info },
      };
      const answer = await this.request({ method: "initialize", params }, INITIALIZED, bounds);
      if (!SUPPORTED_PROTOCOL_VERSIONS.includes(answer.protocolVersion)) {
        const known = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
        throw new Error(
          `it speaks protocol version "${answer.protocolVersion}", known are ${known}`,
        );
      }
      this.#server = answer;
      await this.notification({ method: "notifications/initialized" });
    } catch (error) {
      this.close().catch(() => {}); // a transport that broke is closed already
      throw error;
    }
  }

  /** Asks for a sign of life. */
  async ping(bounds: RequestBounds): Promise<void> {
    await this.request({ method: "ping" }, EmptyResultSchema, bounds);
  }

  // Servers offer what their lists say, whatever capabilities they announced.
  protected override assertCapabilityForMethod(): void {}
  protected override assertNotificationCapability(): void {}
  protected override assertRequestHandlerCapability(): void {}
  protected override assertTaskCapability(): void {}
  protected override assertTaskHandlerCapability(): void {}
}

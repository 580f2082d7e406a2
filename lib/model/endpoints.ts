import type { EndpointVariables } from "./endpoint.ts";

/** Where each provider that needs a network is reached, and which variables say so. */
export const ENDPOINTS = {
  anthropic: {
    provider: "anthropic",
    key: "ANTHROPIC_API_KEY",
    baseUrl: "ANTHROPIC_BASE_URL",
    defaultBaseUrl: "https://api.anthropic.com",
    isKeyFreeOnLoopback: false,
  },
  openai: {
    provider: "openai",
    key: "OPENAI_COMPAT_API_KEY",
    baseUrl: "OPENAI_COMPAT_BASE_URL",
    defaultBaseUrl: "https://api.openai.com/v1",
    isKeyFreeOnLoopback: true,
    or: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  },
  "openai-compatible": {
    provider: "openai-compatible",
    key: "OPENAI_COMPAT_API_KEY",
    baseUrl: "OPENAI_COMPAT_BASE_URL",
    defaultBaseUrl: "https://api.openai.com/v1",
    isKeyFreeOnLoopback: true,
  },
  openrouter: {
    provider: "openrouter",
    key: "OPENROUTER_API_KEY",
    baseUrl: "OPENROUTER_BASE_URL",
    defaultBaseUrl: "https://openrouter.ai/api/v1",
    isKeyFreeOnLoopback: false,
  },
  google: {
    provider: "google",
    key: "GEMINI_API_KEY",
    baseUrl: "GEMINI_BASE_URL",
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
    isKeyFreeOnLoopback: false,
    or: { key: "GOOGLE_API_KEY", baseUrl: "GEMINI_BASE_URL" },
  },
  azure: {
    provider: "azure",
    key: "AZURE_OPENAI_API_KEY",
    baseUrl: "AZURE_OPENAI_ENDPOINT",
    defaultBaseUrl: undefined,
    isKeyFreeOnLoopback: false,
  },
  "amazon-bedrock": {
    provider: "amazon-bedrock",
    key: "AWS_BEARER_TOKEN_BEDROCK",
    baseUrl: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    defaultBaseUrl: "https://bedrock-runtime.REGION.amazonaws.com",
    isKeyFreeOnLoopback: false,
    insteadOfKey: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  },
  databricks: {
    provider: "databricks",
    key: "DATABRICKS_TOKEN",
    baseUrl: "DATABRICKS_HOST",
    defaultBaseUrl: undefined,
    isKeyFreeOnLoopback: false,
    isKeyOptional: true,
  },
  databricks_v2: {
    provider: "databricks_v2",
    key: "DATABRICKS_TOKEN",
    baseUrl: "DATABRICKS_HOST",
    defaultBaseUrl: undefined,
    isKeyFreeOnLoopback: false,
    isKeyOptional: true,
  },
  ollama: local("ollama", 11434),
  lmstudio: local("lmstudio", 1234),
  llamacpp: local("llamacpp", 8080),
  vllm: local("vllm", 8000),
} as const satisfies Readonly<Record<string, EndpointVariables>>;

/** A model server on this machine, at the port that it takes unless told otherwise. */
function local(provider: string, port: number): EndpointVariables {
  const name = provider.toUpperCase();
  return {
    provider,
    key: `${name}_API_KEY`,
    baseUrl: `${name}_BASE_URL`,
    defaultBaseUrl: `http://127.0.0.1:${port}/v1`,
    isKeyFreeOnLoopback: true,
  };
}

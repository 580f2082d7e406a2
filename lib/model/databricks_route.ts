/** Words of an endpoint's name that stand for a model of OpenAI's, or of Anthropic's. */
const OPENAI_WORDS = ["sol", "luna", "terra"];
const ANTHROPIC_WORDS = ["claude", "opus", "sonnet", "haiku", "mythos", "fable"];

/**
 * The protocol that an endpoint of Databricks' AI gateway is asked in, by whole words of its name: a
 * `terraform-coder` is none of OpenAI's. Of two makers in one name OpenAI counts.
 */
export function databricksRoute(endpoint: string): "responses" | "anthropic" | "chat" {
  const words = endpoint.toLowerCase().split(/[^a-z0-9]+/);
  if (words.some((word) => word.startsWith("gpt") || OPENAI_WORDS.includes(word))) {
    return "responses";
  }
  return words.some((word) => ANTHROPIC_WORDS.includes(word)) ? "anthropic" : "chat";
}

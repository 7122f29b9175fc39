// How the names of one model are written: with its provider, its region, its date, or none of them.

/** Names of providers that may stand in front of a model's name. */
const PROVIDERS = new Set([
  "openai", "anthropic", "google", "mistral", "deepseek", "xai", "alibaba", "moonshotai", "zai", "minimax", "cohere", "llama", "perplexity",
  "amazon-bedrock", "google-vertex", "azure", "groq", "cerebras", "togetherai", "fireworks-ai", "nvidia", "huggingface", "github-copilot",
  "ollama-cloud", "openrouter",
]);

/** The name under which the table has a model: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929`. */
export function keyOf(name: string): string {
  const last = name.toLowerCase().trim().split("/").at(-1) ?? "";
  return last
    // A region and the maker, as Amazon Bedrock has them.
    .replace(/^(?:(?:us|eu|au|jp|apac|ca|global)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|moonshot|moonshotai|minimax|google|nvidia|writer|zai|ai21)\./, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/@default$/, "")
    .replace("@", "-")
    .replace(/(\d)\.(?=\d)/g, "$1-");
}

/** The same without its date. */
export function undated(key: string): string {
  return key.replace(/-(?:\d{4}-\d{2}-\d{2}|20\d{6})$/, "");
}

/** The keys under which a model may be found, the most exact first. */
export function candidates(name: string): string[] {
  const text = name.toLowerCase().trim();
  const [first = ""] = text.split(/[/:]/);
  const provider = PROVIDERS.has(first) && first !== text ? first : undefined;
  const rest = provider === undefined ? text : text.slice(provider.length + 1);
  const keys: string[] = [];
  let key = keyOf(rest);
  for (let longer = ""; key !== longer; key = shortened(key)) {
    keys.push(...(provider === undefined ? [] : [`${provider}/${key}`]), key);
    longer = key;
  }
  return keys;
}

/** A name without the last thing in it that only says which release of a model it is, or how it is served. */
function shortened(key: string): string {
  const plain = undated(key);
  return plain !== key ? plain : key.replace(/(?::[a-z]+|-latest|-preview(?:-\d{2}-\d{2,4})?|-\d{4}|-001|-maas)$/, "");
}

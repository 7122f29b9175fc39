// Writes src/models/table.ts from the data of models.dev: windows, largest answers and prices of models.
//
//   node scripts/models.mjs FILE      FILE is the site's api.json, or JSON Lines with one model of one provider each (also in gzip)

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import ts from "typescript";

const source = readFileSync(new URL("../src/models/names.ts", import.meta.url), "utf8");
const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 } });
const { keyOf, undated } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);

/** Who made a model says best what it can do, so makers come first. Then those who only run models. */
const MAKERS = ["openai", "anthropic", "google", "mistral", "deepseek", "xai", "alibaba", "moonshotai", "zai", "minimax", "cohere", "llama", "perplexity"];
const OTHERS = [
  "amazon-bedrock", "google-vertex", "azure", "groq", "cerebras", "togetherai", "fireworks-ai", "nvidia", "huggingface", "github-copilot",
  "ollama-cloud", "openrouter",
];

/** Models with which nobody has a conversation. */
const NO_CHAT = /embed|whisper|tts|image|rerank|guard|moderation|speech|orpheus|ocr|dall-e|veo|imagen|auto$|-router$/;

const LONGEST_LINE = 130;
const LICENSE = readFileSync(new URL("models-license.txt", import.meta.url), "utf8").trim();

/** The models in a file, each with its provider. */
export function modelsOf(text) {
  if (text.startsWith('{"provider"')) {
    return text.trim().split("\n").map((line) => JSON.parse(line));
  }
  return Object.entries(JSON.parse(text)).flatMap(([provider, { models }]) =>
    Object.values(models).map(({ limit = {}, release_date: released, ...model }) => ({ ...model, ...limit, released, provider })),
  );
}

/** The text of the table. */
export function tableOf(models) {
  const rows = new Map();
  const chats = models.filter(({ id, context, output }) => context > 0 && output > 0 && !NO_CHAT.test(id.toLowerCase()));
  for (const provider of [...MAKERS, ...OTHERS]) {
    const own = chats.filter((model) => model.provider === provider).sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    for (const model of own) {
      const key = keyOf(model.id);
      const { context, released = "" } = model;
      const found = { provider, context, row: rowOf(model), released };
      const known = rows.get(key);
      if (known === undefined) {
        rows.set(key, found);
      } else if (known.row !== found.row && known.provider !== provider && !rows.has(`${provider}/${key}`)) {
        // If no maker says it, the smallest window is safe.
        const isSafer = context < known.context && !MAKERS.includes(known.provider);
        const [least, other] = isSafer ? [found, known] : [known, found];
        rows.set(key, least);
        rows.set(`${other.provider}/${key}`, other);
      }
    }
  }
  // A name without a date is that of the latest version.
  for (const [key, { provider, row, released }] of [...rows]) {
    const plain = undated(key);
    const known = rows.get(plain);
    if (plain !== key && !key.includes("/") && (known === undefined || (known.isAlias && known.released < released))) {
      rows.set(plain, { provider, row, released, isAlias: true });
    }
  }
  // Rows with the same figures share them.
  const groups = new Map();
  for (const [key, { row }] of [...rows].sort(([one], [other]) => (one < other ? -1 : 1))) {
    groups.set(row, [...(groups.get(row) ?? []), key]);
  }
  const entries = [...groups].map(([row, keys]) => `${row}:${keys.join(" ")}`);
  return `// Written by scripts/models.mjs. Facts from models.dev, under the license at the end of this file.

/** Figures, and behind them the models that have them: window, largest prompt if it is smaller, largest answer; in dollars per
 * million tokens what a prompt costs, an answer, reading and writing the provider's cache; if longer prompts cost something else,
 * above how many tokens, and these four again. What is empty is not known. A model of one provider has its name in front. */
export const TABLE = \`
${lines(entries).join("\n")}
\`;

/*!
${LICENSE}
*/
`;
}

/** Where a model comes among those of its provider: behind those that serve all regions. */
function placeOf({ id }) {
  return `${/^(?:us|eu|au|jp|apac|ca)\./.test(id) ? 1 : 0} ${id}`;
}

/** The entries, as many in a line as fit. */
function lines(entries) {
  const filled = [""];
  for (const entry of entries) {
    const line = `${filled.at(-1)}${entry};`;
    filled.splice(line.length > LONGEST_LINE ? filled.length : -1, 1, line.length > LONGEST_LINE ? `${entry};` : line);
  }
  return filled;
}

function rowOf({ context, input, output, cost = {} }) {
  const prompt = input !== undefined && input < context ? input : undefined;
  const prices = pricesOf(cost);
  const tier = cost.tiers?.[0];
  const more = tier?.tier?.size > 0 ? [tier.tier.size, ...pricesOf(tier)] : [];
  return [context, prompt, output, ...prices, ...more].map((figure) => figure ?? "").join(",").replace(/,+$/, "");
}

function pricesOf({ input, output, cache_read, cached_input, cache_write, cached_write }) {
  return [input, output, cache_read ?? cached_input, cache_write ?? cached_write];
}

const [, script, file] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (file === undefined) {
    console.error("usage: node scripts/models.mjs FILE");
    process.exit(1);
  }
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
  writeFileSync(join(dirname(script), "..", "src/models/table.ts"), tableOf(modelsOf(text)));
}

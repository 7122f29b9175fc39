// The wasm modules as Vercel's edge runtime takes them: imports of files with `?module`, which are compiled when the app is built.
// The runtime compiles no bytes.

import type { Part } from "../wasm/parts.js";

/** The parts of the engine. */
const PARTS: Record<Part, () => Promise<{ default: WebAssembly.Module }>> = {
  summaries: () => import("../glue/summaries_bg.wasm?module"),
  extractive: () => import("../glue/extractive_bg.wasm?module"),
  snapshots: () => import("../glue/snapshots_bg.wasm?module"),
  anthropic: () => import("../glue/anthropic_bg.wasm?module"),
  "openai-responses": () => import("../glue/openai-responses_bg.wasm?module"),
  "ai-sdk": () => import("../glue/ai-sdk_bg.wasm?module"),
  gemini: () => import("../glue/gemini_bg.wasm?module"),
  langchain: () => import("../glue/langchain_bg.wasm?module"),
  bedrock: () => import("../glue/bedrock_bg.wasm?module"),
};

/** The engine. */
export async function engineModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/epitome_bg.wasm?module")).default;
}

/** A part of the engine. */
export async function partModule(part: Part): Promise<WebAssembly.Module> {
  return (await PARTS[part]()).default;
}

/** The module that asks providers. */
export async function endpointModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/endpoint_bg.wasm?module")).default;
}

/** The module that validates, repairs, converts and detects messages. */
export async function validationModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/validation_bg.wasm?module")).default;
}

/** The module that estimates the tokens of texts. */
export async function estimateModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/estimate_bg.wasm?module")).default;
}

/** The module that counts exactly. */
export async function counterModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/count_bg.wasm?module")).default;
}

/** The module that reads a `tokenizer.json` and counts by it. */
export async function tokenizerModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/tokenizer_bg.wasm?module")).default;
}

/** The module that searches a conversation. */
export async function recallModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/recall_bg.wasm?module")).default;
}

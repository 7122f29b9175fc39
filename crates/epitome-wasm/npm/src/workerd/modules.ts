// The wasm modules as workerd and Cloudflare's tools take them: imports of files, which are compiled when the app is deployed. The
// runtime compiles no bytes.

/** The engine. */
export async function engineModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/epitome_bg.wasm")).default;
}

/** The module that asks providers. */
export async function endpointModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/endpoint_bg.wasm")).default;
}

/** The module that summarizes without a model. */
export async function extractiveModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/extractive_bg.wasm")).default;
}

/** The module that validates, repairs, converts and detects messages. */
export async function validationModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/validation_bg.wasm")).default;
}

/** The module that estimates the tokens of texts. */
export async function estimateModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/estimate_bg.wasm")).default;
}

/** The module that counts exactly. */
export async function counterModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/count_bg.wasm")).default;
}

/** The module that reads a `tokenizer.json` and counts by it. */
export async function tokenizerModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/tokenizer_bg.wasm")).default;
}

/** The module that searches a conversation. */
export async function recallModule(): Promise<WebAssembly.Module> {
  return (await import("../glue/recall_bg.wasm")).default;
}

// Compiles the file of the page's module that is fetched when the first one runs.

/** Compiles a wasm file while it arrives. Browsers do that only for servers that say it is wasm, which not every host does. */
export async function instantiate(source, imports) {
  const response = await source;
  if (!response.ok) throw new Error(`${response.url} could not be fetched: ${response.status} ${response.statusText}`);
  if (response.headers.get("Content-Type")?.trim().toLowerCase() === "application/wasm") {
    return WebAssembly.instantiateStreaming(response, imports);
  }
  return WebAssembly.instantiate(await response.arrayBuffer(), imports);
}

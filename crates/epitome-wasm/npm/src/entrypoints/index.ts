// The package with its wasm modules inside. Each is unpacked and compiled on first use.

export * from "../api/api.js";

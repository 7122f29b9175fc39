// Only token counting, for apps that do not need the engine.

export * from "../api/counting.js";
export { isEpitomeError } from "../error.js";

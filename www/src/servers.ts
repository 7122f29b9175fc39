// The servers that are offered in the settings, and what each of them needs.

import { BUILT_IN, CHROME } from "./chrome.js";

/** A server with OpenAI's chat completions API, or what stands for one. */
export interface Server {
  readonly name: string;
  readonly baseURL: string;
  /** The model that it is offered with; empty where the user has to choose one. */
  readonly model: string;
  /** What the user has to know. */
  readonly hint: string;
}

/** What is offered where the browser has it. */
export const IN_CHROME: Server = {
  name: "Chrome’s built-in model",
  baseURL: CHROME,
  model: BUILT_IN,
  hint: "Needs neither a server nor a key. Chrome fetches the model when it is used for the first time, which takes minutes.",
};

const ORIGIN = "It has to allow requests from this page";

export const SERVERS: readonly Server[] = [
  { name: "This page’s server", baseURL: "/v1", model: "epitome-extractive", hint: "Needs no model: it answers with what it has read." },
  { name: "Ollama", baseURL: "http://localhost:11434/v1", model: "llama3.2", hint: `${ORIGIN}: set OLLAMA_ORIGINS before it starts.` },
  { name: "llama.cpp", baseURL: "http://localhost:8080/v1", model: "default", hint: "Start it with llama-server. It allows requests from every page." },
  { name: "LM Studio", baseURL: "http://localhost:1234/v1", model: "", hint: `${ORIGIN}: switch on “Enable CORS” in its server settings.` },
  { name: "OpenRouter", baseURL: "https://openrouter.ai/api/v1", model: "openrouter/auto", hint: "Needs a key." },
  { name: "OpenAI", baseURL: "https://api.openai.com/v1", model: "gpt-5.4-mini", hint: "Needs a key." },
  { name: "Anthropic", baseURL: "https://api.anthropic.com/v1", model: "claude-haiku-4-5", hint: "Needs a key." },
  { name: "Gemini", baseURL: "https://generativelanguage.googleapis.com/v1beta/openai", model: "gemini-3.5-flash", hint: "Needs a key." },
];

/** Headers without which a provider refuses requests of pages. */
export function headersFor(baseURL: string): Record<string, string> {
  return new URL(baseURL).hostname === "api.anthropic.com" ? { "anthropic-dangerous-direct-browser-access": "true" } : {};
}

// One answer of a model, streamed from an endpoint with OpenAI's chat completions API, or written by the model that Chrome has.

import { answerBuiltIn, BUILT_IN, CHROME, checkBuiltIn } from "./chrome.js";
import { AnswerError } from "./error.js";
import { eventsOf } from "./events.js";

export interface ChatMessage {
  role: "system" | "user" | "assistant";
  content: string;
  /** The agent that has written it, or whose role it is. */
  name?: string;
}

export interface AnswerRequest {
  baseURL: string;
  model: string;
  apiKey: string;
  headers: Readonly<Record<string, string>>;
  messages: readonly ChatMessage[];
  signal: AbortSignal;
}

/** A part of the answer: text as it arrives, and at the end the usage, if the server reports it. */
export type AnswerPart = { type: "text"; text: string } | { type: "usage"; usage: object };

export async function* answer(request: AnswerRequest): AsyncGenerator<AnswerPart> {
  const { baseURL, model, messages, signal } = request;
  if (baseURL === CHROME) {
    for await (const text of answerBuiltIn(messages, signal)) {
      yield { type: "text", text };
    }
    return;
  }
  const body = { model, messages, stream: true, stream_options: { include_usage: true } };
  const init: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json", ...headersOf(request) },
    body: JSON.stringify(body),
    signal,
  };
  const response = await reach(`${baseURL}/chat/completions`, init, baseURL);
  if (response.body === null) {
    throw new AnswerError("The server answered without any text.");
  }
  let finished = false;
  for await (const data of eventsOf(response.body)) {
    if (data === "[DONE]") {
      finished = true;
      break;
    }
    const chunk = parse(data);
    if (chunk.error !== undefined) {
      throw new AnswerError(`The server stopped midway: ${messageOf(chunk.error)}`);
    }
    const [choice] = chunk.choices ?? [];
    if (choice?.delta?.content) {
      yield { type: "text", text: choice.delta.content };
    }
    finished ||= Boolean(choice?.finish_reason);
    if (chunk.usage) {
      yield { type: "usage", usage: chunk.usage };
    }
  }
  if (!finished) {
    throw new AnswerError("The connection ended in the middle of the answer.");
  }
}

/** The names of the models that a server has. */
export async function modelsOf({ baseURL, ...request }: Pick<AnswerRequest, "baseURL" | "apiKey" | "headers" | "signal">): Promise<string[]> {
  if (baseURL === CHROME) {
    await checkBuiltIn();
    return [BUILT_IN];
  }
  const response = await reach(`${baseURL}/models`, { headers: headersOf(request), signal: request.signal }, baseURL);
  const listed: unknown = await response.json().catch(() => undefined);
  const data = typeof listed === "object" && listed !== null ? Reflect.get(listed, "data") : undefined;
  if (!Array.isArray(data)) {
    throw new AnswerError("The server sent something that is not a list of models.");
  }
  const names = data.map((model: unknown) => (typeof model === "object" && model !== null ? Reflect.get(model, "id") : undefined));
  // Gemini's names begin with a folder that its requests do not need.
  return names.filter((name) => typeof name === "string").map((name) => name.replace(/^models\//, ""));
}

function headersOf({ apiKey, headers }: Pick<AnswerRequest, "apiKey" | "headers">): Record<string, string> {
  return { ...headers, ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }) };
}

/** The response of a server that takes the request; otherwise an error for the user. */
async function reach(address: string, init: RequestInit, baseURL: string): Promise<Response> {
  const response = await fetch(address, init).catch((error: unknown) => {
    init.signal?.throwIfAborted();
    throw new AnswerError(
      `The server at ${baseURL} cannot be reached, or does not allow requests from this page.`,
      { cause: error },
    );
  });
  if (!response.ok) {
    throw await failureOf(response);
  }
  return response;
}

interface Chunk {
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  usage?: object | null;
  error?: unknown;
}

function parse(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    throw new AnswerError("The server sent something that is not a chat completion.");
  }
}

async function failureOf(response: Response): Promise<AnswerError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const reported = typeof body === "object" && body !== null ? messageOf(Reflect.get(body, "error")) : "";
  const known: Record<number, string> = {
    401: "The server rejects the API key. Enter another one in the settings.",
    403: "The server rejects the API key. Enter another one in the settings.",
    404: "The server does not have this model, or the base URL is wrong.",
    429: "The server is busy. Try again in a moment.",
  };
  const words = known[status] ?? (status >= 500 ? "The server failed." : "The server rejects the request.");
  const message = reported === "" ? `${words} (${status})` : `${words} It says: ${reported}`;
  return new AnswerError(message, { cause: { status, body } });
}

function messageOf(error: unknown): string {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message.slice(0, 400) : "";
}

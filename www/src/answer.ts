// One answer of a model, streamed from an endpoint that speaks chat completions.

import { eventsOf } from "./events.js";

export interface ChatMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface Question {
  baseURL: string;
  model: string;
  apiKey: string;
  messages: readonly ChatMessage[];
  signal: AbortSignal;
}

/** Text as it comes, and at the end what the server counted, if it says so. */
export type Piece = { type: "text"; text: string } | { type: "usage"; usage: object };

/** A failure in words for the person who chats. */
export class AnswerError extends Error {
  override name = "AnswerError";
}

export async function* answer(question: Question): AsyncGenerator<Piece> {
  const { baseURL, model, apiKey, messages, signal } = question;
  const body = { model, messages, stream: true, stream_options: { include_usage: true } };
  const request: RequestInit = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
  };
  const response = await fetch(`${baseURL}/chat/completions`, request).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new AnswerError(
      `The server at ${baseURL} cannot be reached, or does not allow this page to ask it.`,
      { cause: error },
    );
  });
  if (!response.ok || response.body === null) {
    throw new AnswerError(await refusal(response));
  }
  let finished = false;
  for await (const data of eventsOf(response.body)) {
    if (data === "[DONE]") {
      finished = true;
      break;
    }
    const chunk = parse(data);
    if (chunk.error !== undefined) {
      throw new AnswerError(`The server stopped midway: ${wordsOf(chunk.error)}`);
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

interface Chunk {
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  usage?: object | null;
  error?: unknown;
}

function parse(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    throw new AnswerError("The server sent something that is no chat completion.");
  }
}

async function refusal(response: Response): Promise<string> {
  const { status } = response;
  const said = await response
    .json()
    .then((body: unknown) => wordsOf((body as { error?: unknown }).error))
    .catch(() => "");
  const known: Record<number, string> = {
    401: "The server refuses the API key. Give another one in the settings.",
    403: "The server refuses the API key. Give another one in the settings.",
    404: "The server has no such model, or the base URL is not that of an API.",
    429: "The server has too much to do. Try again in a moment.",
  };
  const words = known[status] ?? (status >= 500 ? "The server failed." : "The server refuses the request.");
  return said === "" ? `${words} (${status})` : `${words} It says: ${said}`;
}

function wordsOf(error: unknown): string {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message.slice(0, 400) : "";
}

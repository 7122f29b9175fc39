// The scripted model behind HTTP on loopback, as the servers of OpenAI and Anthropic.

import { once } from "node:events";
import { createServer } from "node:http";
import { refusals } from "../node/legality.mjs";
import { ScriptedModel } from "./scripted-model.mjs";

const partsOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []));
const textOf = (parts) => parts.filter(({ type }) => type === "text").map(({ text }) => text).join("");

const FORMATS = {
  "openai-chat": {
    neutral: ({ role, content, tool_calls: calls = [], tool_call_id: id }) => ({
      role,
      text: role === "tool" ? "" : textOf(partsOf(content)),
      calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input: JSON.parse(input) })),
      results: role === "tool" ? [{ id, text: textOf(partsOf(content)) }] : [],
    }),
    reply: ({ text, calls, usage }) => {
      const called = calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } }));
      const message = { role: "assistant", content: text || null, refusal: null, ...(called.length > 0 && { tool_calls: called }) };
      return {
        id: "chatcmpl-1",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: called.length > 0 ? "tool_calls" : "stop" }],
        usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: usage.prompt + usage.completion },
      };
    },
    events: ({ id, choices: [{ message, finish_reason }], usage }) => {
      const chunk = (fields) => ({ id, object: "chat.completion.chunk", created: 0, model: "m", ...fields });
      const delta = (delta, reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
      const calls = (message.tool_calls ?? []).map((call, index) => delta({ tool_calls: [{ index, ...call }] }));
      const texts = piecesOf(message.content ?? "").map((content) => delta({ content }));
      return [delta({ role: "assistant" }), ...texts, ...calls, delta({}, finish_reason), chunk({ choices: [], usage }), "[DONE]"];
    },
    tooLong: (tokens, limit) => ({
      code: "context_length_exceeded",
      message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`,
    }),
  },
  anthropic: {
    neutral: ({ role, content }) => {
      const parts = partsOf(content);
      return {
        role,
        text: textOf(parts),
        calls: parts.filter(({ type }) => type === "tool_use"),
        results: parts.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id, content }) => ({ id, text: textOf(partsOf(content)) })),
      };
    },
    reply: ({ text, calls, usage }) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [...(text ? [{ type: "text", text }] : []), ...calls.map((call) => ({ type: "tool_use", ...call }))],
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
      usage: { input_tokens: usage.prompt, output_tokens: usage.completion },
    }),
    events: ({ content, stop_reason, usage, ...message }) => [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 0 } } },
      ...content.flatMap((block, index) => {
        const deltas =
          block.type === "text"
            ? piecesOf(block.text).map((text) => ({ type: "text_delta", text }))
            : [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
        const empty = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
        return [
          { type: "content_block_start", index, content_block: empty },
          ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
          { type: "content_block_stop", index },
        ];
      }),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } },
      { type: "message_stop" },
    ],
    tooLong: (tokens, limit) => ({ type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${limit} maximum` }),
  },
};

/** A text as a stream brings it. */
function piecesOf(text) {
  return text.match(/.{1,40}/gs) ?? [];
}

/** A body of server-sent events. */
function streamed(events) {
  return events.map((event) => (typeof event === "string" ? `data: ${event}\n\n` : `event: ${event.type ?? "message"}\ndata: ${JSON.stringify(event)}\n\n`)).join("");
}

/** Serves a scripted model until the test ends. An illegal prompt, or one that breaks a promise, is answered with an error; so is one
 * of more than `limit` tokens, with the error that the provider has for it. */
export async function serve(test, format, { limit = Infinity, ...options } = {}) {
  const script = new ScriptedModel(options);
  const { neutral, reply, events, tooLong } = FORMATS[format];
  const overflows = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    const { messages, stream } = JSON.parse(text);
    let [status, body] = [200, undefined];
    try {
      const [refused] = await refusals(format, messages);
      if (refused !== undefined) {
        throw new Error(refused);
      }
      const prompt = messages.map(neutral);
      const tokens = script.tokensOf(prompt);
      if (tokens > limit) {
        overflows.push(tokens);
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error: tooLong(tokens, limit) }));
        return;
      }
      body = reply(script.answer(prompt));
    } catch ({ message }) {
      [status, body] = [400, { error: { type: "invalid_request_error", message } }];
    }
    const isStream = stream === true && status === 200;
    const type = isStream ? "text/event-stream" : "application/json";
    response.writeHead(status, { "content-type": type }).end(isStream ? streamed(events(body)) : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => server.close());
  return { script, overflows, address: `http://127.0.0.1:${server.address().port}` };
}

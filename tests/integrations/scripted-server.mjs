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
  },
};

/** Serves a scripted model until the test ends. An illegal prompt, or one that breaks a promise, is answered with an error. */
export async function serve(test, format) {
  const script = new ScriptedModel();
  const { neutral, reply } = FORMATS[format];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    const { messages } = JSON.parse(text);
    let [status, body] = [200, undefined];
    try {
      const [refused] = await refusals(format, messages);
      if (refused !== undefined) {
        throw new Error(refused);
      }
      body = reply(script.answer(messages.map(neutral)));
    } catch ({ message }) {
      [status, body] = [400, { error: { type: "invalid_request_error", message } }];
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => server.close());
  return { script, address: `http://127.0.0.1:${server.address().port}` };
}

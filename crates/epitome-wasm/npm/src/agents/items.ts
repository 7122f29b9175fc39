// The items of the OpenAI Agents SDK as items of the Responses API, which the engine reads, and back.

import { property } from "../error.js";

type Fields = Record<string, unknown>;

/** Items of one conversation. An item that the view keeps comes back as it was given. */
export class AgentItems<I extends object> {
  /** The same object for the same item, so that a compactor recognises it. */
  readonly #read = new WeakMap<I, object>();
  readonly #given = new WeakMap<object, I>();
  /** The calls and results by their ids. */
  readonly #byCall = new Map<string, I>();

  /** An item as the Responses API has it. */
  read(item: I): object {
    const known = this.#read.get(item);
    if (known !== undefined) {
      return known;
    }
    const fields = item as Fields;
    const made = responseItem(fields);
    this.#read.set(item, made);
    this.#given.set(made, item);
    if (typeof fields["callId"] === "string") {
      this.#byCall.set(`${String(made["type"])} ${fields["callId"]}`, item);
    }
    return made;
  }

  /** The item that a message of the view stands for. One that the engine has changed is a copy, and a summary is a message. */
  write(message: object): I {
    const given = this.#given.get(message);
    if (given !== undefined) {
      return given;
    }
    const fields = message as Fields;
    const original = this.#byCall.get(`${String(fields["type"])} ${String(fields["call_id"])}`);
    return agentItem(fields, original as Fields | undefined) as I;
  }
}

function responseItem(item: Fields): Fields {
  switch (item["type"]) {
    case undefined:
    case "message":
      return { ...only(item, "id", "role", "status"), type: "message", content: contentOf(item["content"]) };
    case "function_call":
      return { ...only(item, "id", "type", "name", "arguments", "status"), call_id: item["callId"] };
    case "function_call_result":
      return { ...only(item, "id", "status"), type: "function_call_output", call_id: item["callId"], output: outputOf(item["output"]) };
    case "reasoning":
      return { ...only(item, "id", "type"), summary: textsOf(item["content"]).map((text) => ({ type: "summary_text", text })), ...only(property(item, "providerData"), "encrypted_content") };
    default:
      return item;
  }
}

function agentItem(message: Fields, original: Fields | undefined): Fields {
  switch (message["type"]) {
    case "function_call":
      return { ...original, type: "function_call", callId: message["call_id"], name: message["name"], arguments: message["arguments"] };
    case "function_call_output":
      return { status: "completed", name: "unknown", ...original, type: "function_call_result", callId: message["call_id"], output: { type: "text", text: textOf(message["output"]) } };
    case "message":
    case undefined: {
      const part = message["role"] === "assistant" ? "output_text" : "input_text";
      const text = textOf(message["content"]);
      return message["role"] === "system" || message["role"] === "developer"
        ? { type: "message", role: "system", content: text }
        : { type: "message", role: message["role"], ...(message["role"] === "assistant" && { status: "completed" }), content: [{ type: part, text }] };
    }
    default:
      return message;
  }
}

function only(item: unknown, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (property(item, name) === undefined ? [] : [[name, property(item, name)]])));
}

/** The parts of a message: images are named in another way. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) {
    return content;
  }
  return content.map((part: Fields) => {
    const { image, ...others } = part;
    if (part["type"] !== "input_image" || image === undefined) {
      return part;
    }
    return typeof image === "string" ? { ...others, image_url: image } : { ...others, file_id: property(image, "id") };
  });
}

/** A result as text, or as parts. */
function outputOf(output: unknown): unknown {
  return property(output, "type") === "text" ? property(output, "text") : Array.isArray(output) ? contentOf(output) : typeof output === "string" ? output : JSON.stringify(output);
}

function textsOf(content: unknown): string[] {
  return Array.isArray(content) ? content.flatMap((part) => (typeof property(part, "text") === "string" ? [property(part, "text") as string] : [])) : [];
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : textsOf(content).join("\n");
}

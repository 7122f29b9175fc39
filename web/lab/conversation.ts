// The conversation that is compared, as the page hands it over.

import { convert, type Format, type PolicySpec } from "epitome/slim";
import type { Message } from "./requests.js";

/** A preset of the package. */
export interface NamedPreset {
  name: string;
  label: string;
}

/** What the page hands over. */
export interface LabInput {
  /** The messages in their own format. */
  messages: readonly object[];
  format: Format;
  /** The policy that is set on the page. */
  policy: PolicySpec;
  /** The preset that the policy is, if it differs from it in nothing but the window. */
  preset?: string;
  /** The presets that are compared with it. */
  presets: readonly NamedPreset[];
}

/** The conversation that every strategy gets. */
export interface Conversation {
  messages: Message[];
  /** How many messages were left out, because they are only for some agents. */
  privateMessages: number;
  /** The format from which the messages were converted. */
  convertedFrom?: Format;
}

/** Reads what the page hands over: the other packages know no messages that are only for some agents. */
export async function readConversation({ messages, format }: LabInput): Promise<Conversation> {
  const shared = messages.filter((message) => !("audience" in message));
  const privateMessages = messages.length - shared.length;
  if (format === "openai-chat") {
    return { messages: shared as Message[], privateMessages };
  }
  const converted = await convert(shared, format, "openai-chat");
  return { messages: converted.messages, privateMessages, convertedFrom: format };
}

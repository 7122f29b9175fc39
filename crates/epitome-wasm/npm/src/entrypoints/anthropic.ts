// Anthropic's SDK: turns with their tool loops.

export { type MessagesAnswer, type MessagesLoopOptions, runMessages } from "../anthropic/run-messages.js";

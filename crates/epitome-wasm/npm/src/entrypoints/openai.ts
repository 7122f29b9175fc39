// OpenAI's SDK: turns with their tool loops.

export { type ChatAnswer, type LoopOptions, type ResponsesAnswer, runChat, runResponses } from "../openai/run-chat.js";

// The fields of the settings about the server: which one, its models, its key, and whether it answers.

import { answer, modelsOf } from "./answer.js";
import { isBuiltIn } from "./chrome.js";
import { element, elementById } from "./element.js";
import { AnswerError } from "./error.js";
import { IN_CHROME, SERVERS } from "./servers.js";
import { endpointOf } from "./settings.js";

const ANOTHER = "Another server";
const LIST = "models";

/** Makes the fields work together. Returns what is to be called when the dialog shows settings. */
export function serverFields(): () => void {
  const server = elementById("server", HTMLSelectElement);
  const baseURL = elementById("base-url", HTMLInputElement);
  const model = elementById("model", HTMLInputElement);
  const key = elementById("key", HTMLInputElement);
  const hint = elementById("server-hint", HTMLElement);
  const test = elementById("test", HTMLButtonElement);
  const verdict = elementById("verdict", HTMLElement);
  const models = elementById(LIST, HTMLDataListElement);
  const window = elementById("window", HTMLInputElement);
  const windowHint = elementById("window-hint", HTMLElement);
  const usualHint = windowHint.textContent;
  let controller = new AbortController();
  /** Where the key may be sent. */
  let origin = "";

  const servers = [...SERVERS];
  const list = (): void => server.replaceChildren(...[...servers.map(({ name }) => name), ANOTHER].map((name) => element("option", {}, name)));
  list();
  void isBuiltIn().then((isThere) => {
    if (isThere) {
      const chosen = server.value;
      servers.splice(1, 0, IN_CHROME);
      list();
      server.value = baseURL.value.trim() === IN_CHROME.baseURL ? IN_CHROME.name : chosen;
    }
  });

  /** Shows what is known of the address. A key goes to no other origin than the one for which it was given. */
  const changed = (): void => {
    controller.abort();
    const known = servers.find((each) => each.baseURL === baseURL.value.trim());
    server.value = known?.name ?? ANOTHER;
    hint.textContent = known?.hint ?? "";
    verdict.textContent = "";
    models.replaceChildren();
    const now = originOf(baseURL.value);
    if (key.value !== "" && now !== origin) {
      key.value = "";
      verdict.textContent = "The key was for another server and is removed.";
    }
    origin = now;
  };

  /** Sets the window to that of the model, if it is known. */
  const chosen = async (): Promise<void> => {
    const name = model.value.trim();
    const { modelInfo } = await import("epitome/models");
    const known = modelInfo(name);
    if (name === model.value.trim()) {
      windowHint.textContent = known === undefined ? usualHint : `This is what ${name} has.`;
      window.value = known === undefined ? window.value : String(known.maxInput ?? known.window);
    }
  };

  server.addEventListener("change", () => {
    const named = servers.find(({ name }) => name === server.value);
    if (named === undefined) {
      return baseURL.focus();
    }
    baseURL.value = named.baseURL;
    model.value = named.model;
    changed();
    void chosen();
  });
  model.addEventListener("change", () => void chosen());
  baseURL.addEventListener("input", changed);
  key.addEventListener("input", () => (origin = originOf(baseURL.value)));

  test.addEventListener("click", async () => {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const say = (words: string): void => {
      if (!signal.aborted) {
        verdict.textContent = words;
      }
    };
    say("Asking the server …");
    try {
      const endpoint = endpointOf({ baseURL: baseURL.value.trim(), model: model.value.trim(), apiKey: key.value });
      const names = await modelsOf({ ...endpoint, signal });
      models.replaceChildren(...names.map((name) => element("option", { value: name })));
      const listed = `The server has ${names.length} ${names.length === 1 ? "model" : "models"}`;
      if (model.value.trim() === "") {
        return say(`${listed}. Choose one.`);
      }
      const messages = [{ role: "user", content: "Answer with the word: yes" }] as const;
      for await (const part of answer({ ...endpoint, messages, signal })) {
        if (part.type === "text") {
          return say(`${listed}, and ${endpoint.model} answers.`);
        }
      }
      say(`${endpoint.model} answered without any text.`);
    } catch (error) {
      say(error instanceof AnswerError ? error.message : `This cannot be tested: ${String(error)}`);
    }
  });

  return () => {
    origin = originOf(baseURL.value);
    windowHint.textContent = usualHint;
    changed();
  };
}

function originOf(baseURL: string): string {
  try {
    return new URL(baseURL.trim(), location.href).origin;
  } catch {
    // Nobody has typed a whole address yet.
    return "";
  }
}

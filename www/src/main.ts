// The chat page: keeps its conversation inside the model's context window.

import { chromePrompt, extractive, openAICompatible } from "epitome";
import { Addressing } from "./addressing.js";
import type { ChatMessage } from "./answer.js";
import { archiveOf, download } from "./archive.js";
import { CHROME } from "./chrome.js";
import { Conversation, type Observer } from "./conversation.js";
import { damageOf } from "./damage.js";
import { element, elementById } from "./element.js";
import { EXAMPLES } from "./examples.js";
import { endOf, idOfAddress, Kept, type SaveState } from "./kept.js";
import { Lanes } from "./lanes.js";
import { meterIn } from "./meter.js";
import { newAgentOf } from "./new-agent.js";
import { type Ghost, Preparations } from "./preparing.js";
import { recalledOf } from "./recalled.js";
import { Reports } from "./reports.js";
import { serverFields } from "./server-fields.js";
import { editSettings, endpointOf, loadSettings, policyOf, type Settings, storeSettings } from "./settings.js";
import { Team } from "./team.js";
import { type Sight, Transcript } from "./transcript.js";

const SYSTEM: ChatMessage = { role: "system", content: "You are a helpful assistant. Answer briefly." };

let settings = loadSettings();
const byModel = () => (settings.baseURL === CHROME ? chromePrompt() : openAICompatible(endpointOf(settings)));
const saved = elementById("saved", HTMLElement);
const rescue = elementById("rescue", HTMLButtonElement);
const follows = elementById("follows", HTMLElement);
const preparations = new Preparations();
const transcript = new Transcript(elementById("log", HTMLElement));
const id = idOfAddress();
let isOpen = false;
void endOf(id).then((end) => (isOpen || end === undefined ? undefined : transcript.show(end.map((message) => ({ message })))));
const kept = await Kept.open(
  id,
  {
    policy: policyOf(settings),
    // Each request creates a new summarizer, because the settings may have changed.
    summarize: (request, context) =>
      settings.summaries === "extractive" ? extractive(request, context) : byModel()(request, context),
    onEvent: (event) => {
      if (preparations.note(event)) {
        showFill();
      }
    },
  },
  { saved: showSaved, changed: () => changedElsewhere() },
);
isOpen = true;
const { compactor } = kept;
const team = new Team(compactor);
beginToWrite();

const meter = meterIn(elementById("meter", HTMLElement));
const working = elementById("working", HTMLElement);
const composer = elementById("composer", HTMLFormElement);
const text = elementById("text", HTMLTextAreaElement);
const send = elementById("send", HTMLButtonElement);
const stop = elementById("stop", HTMLButtonElement);
const compact = elementById("compact", HTMLButtonElement);
const example = elementById("example", HTMLButtonElement);
const addAgent = elementById("agent-open", HTMLButtonElement);
const addressing = new Addressing();
const showDamage = damageOf(kept);
const showServer = serverFields();
let examples = 0;

const observer: Observer = {
  sent: (said) => transcript.add(said),
  received: (text, said) => transcript.write(text, said),
  answered: (message) => transcript.finish(message),
  failed(message, name, left) {
    const alert = element("div", { class: "problem", role: "alert" }, element("p", {}, message));
    const offer = (words: string, act: () => void): void => {
      const button = element("button", { type: "button" }, words);
      button.addEventListener("click", () => {
        if (conversation.activity === "nothing") {
          alert.remove();
          text.focus();
          act();
        }
      });
      alert.append(button);
    };
    offer("Try again", () => void conversation.ask(name, left));
    if (left !== undefined) {
      offer("Show the answer before", () => conversation.show(left));
    }
    transcript.insert(alert);
  },
  windowKnown(window) {
    use({ ...settings, window });
    const words = `The server’s window has ${window.toLocaleString("en")} tokens. The settings have it now.`;
    transcript.insert(element("div", { class: "problem", role: "note" }, element("p", {}, words)));
  },
  branchChanged() {
    transcript.show(team.all());
    reports.branchChanged((name) => team.view(name).compacted().length > 0);
  },
  recalled(returned, name) {
    transcript.insert(recalledOf(returned, name));
  },
  compacting(message) {
    working.textContent = message;
  },
  compacted: (report) => reports.show(report),
  changed() {
    const { activity } = conversation;
    const busy = activity !== "nothing";
    if (activity !== "compacting") {
      working.textContent = busy ? `${conversation.answerer ?? "The model"} is answering …` : "";
    }
    // A hidden button loses the focus, so the text field gets it.
    const focused = document.activeElement === send || document.activeElement === stop;
    send.hidden = busy;
    stop.hidden = !busy;
    if (focused) {
      text.focus();
    }
    const isReader = kept.role() === "follower";
    follows.hidden = !isReader;
    composer.hidden = isReader;
    for (const button of [compact, example, addAgent, ...document.querySelectorAll<HTMLButtonElement>(".notice button")]) {
      button.disabled = busy || isReader;
    }
    lanes.show(busy || isReader);
    showFill();
    addressing.show(team.names());
    mark();
    offer(!busy && !isReader);
    void kept.save();
  },
};

const conversation = new Conversation(team, settings, observer);
const reports = new Reports((notice) => transcript.insert(notice), (name) => conversation.undo(name));
const lanes = new Lanes(team, {
  chosen: mark,
  answer: (name) => void conversation.ask(name),
  compact: (name) => void conversation.compact("manual", name),
  undo: (name) => reports.undo(name),
});

/** Shows how full each window is, and what is prepared for it. */
function showFill(): void {
  const ghostOf = (name?: string): Ghost | undefined => preparations.of(name, () => team.view(name).plan());
  meter.show(conversation.status, ghostOf());
  lanes.showFill(ghostOf);
}

/** Marks what the model has of each message, or the agent whose lane is chosen. */
function mark(): void {
  const name = lanes.chosen;
  const view = team.view(name);
  const [seen, whole] = [new Set(view.history()), new Set(view.messages())];
  const sightOf = (message: ChatMessage): Sight => (!seen.has(message) ? "hidden" : whole.has(message) ? "whole" : "summarized");
  if (name === undefined) {
    // What is only for agents says so anyway.
    return transcript.mark((message) => (seen.has(message) ? sightOf(message) : "whole"), { summarized: "now in the summary" });
  }
  transcript.mark(sightOf, { hidden: `hidden from ${name}`, summarized: `now in ${name}’s summary`, whole: `${name} sees it` });
}

/** Offers other versions of the messages that are for all: of the last answer, and of what the user has said. */
function offer(isPossible: boolean): void {
  const { versions } = team;
  const ids = versions.ids();
  const all = Array.from(ids.keys());
  const next = new Map(all.map((message, index) => [message, all[index + 1]]));
  transcript.offer((message) => {
    const id = ids.get(message);
    if (!isPossible || id === undefined) {
      return {};
    }
    const known = versions.of(id);
    // The button is gone while there is an answer.
    const act = (answer: () => Promise<void>): void => {
      if (conversation.activity === "nothing") {
        text.focus();
        void answer();
      }
    };
    const by = next.get(message)?.name;
    const step = (shown: number, ids: readonly string[]) => (version: number) => {
      const other = ids[version - 1] ?? id;
      conversation.show(other);
      transcript.focusStep(compactor.message(other), version > shown);
    };
    return {
      ...(message.role === "assistant" && message === all.at(-1) && { again: () => act(() => conversation.again(id, message.name)) }),
      ...(message.role === "user" && { reword: (words: string) => act(() => conversation.reword(id, words, { only: [], by })) }),
      ...(known !== undefined && {
        versions: { shown: known.shown, of: known.ids.length, show: step(known.shown, known.ids) },
      }),
    };
  });
}

function showSaved(state: SaveState): void {
  const words = { saved: "Saved", saving: "Saving …", follower: "Another tab saves it" };
  saved.textContent = state.kind === "unsaved" ? `Not saved: ${state.problem}` : words[state.kind];
  rescue.hidden = state.kind !== "unsaved";
  transcript.markStored(team.unstored(), { saving: "saving …", unsaved: "not saved" });
}

/** The tab that writes begins a new conversation, and sets its window. */
function beginToWrite(): void {
  if (kept.role() !== "writer") {
    return;
  }
  if (compactor.history().length === 0) {
    compactor.append(SYSTEM);
  } else {
    team.setPolicy(policyOf(settings));
  }
}

/** Another tab has written, or this one may do so from now on. What a stale tab has stays as it is: it is nowhere else. */
function changedElsewhere(): void {
  preparations.clear();
  team.versions.clear();
  if (kept.role() !== "stale") {
    beginToWrite();
    transcript.show(team.all());
  }
  void showDamage();
  observer.changed();
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = text.value.trim();
  if (message === "" || conversation.activity !== "nothing") {
    return;
  }
  text.value = "";
  void conversation.send(message, addressing.get());
});

text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    composer.requestSubmit();
  }
});

stop.addEventListener("click", () => conversation.stop());
compact.addEventListener("click", () => void conversation.compact("manual"));
example.addEventListener("click", () => {
  const message = EXAMPLES[examples % EXAMPLES.length] ?? "";
  examples += 1;
  void conversation.send(message, addressing.get());
});

elementById("settings-open", HTMLButtonElement).addEventListener("click", async () => {
  const saved = await editSettings(elementById("settings", HTMLDialogElement), settings, showServer);
  if (saved !== undefined && conversation.activity === "nothing") {
    use(saved);
  }
});

/** Goes on with other settings. */
function use(other: Settings): void {
  settings = other;
  storeSettings(settings);
  if (kept.role() !== "follower") {
    conversation.settings = settings;
  }
}

rescue.addEventListener("click", () => void download(kept));
elementById("take-over", HTMLButtonElement).addEventListener("click", () => void kept.takeOver());

newAgentOf(() => team.names(), (name, role) => {
  conversation.add(name, role);
  text.focus();
});
archiveOf(kept, (message) => conversation.restore(message));
transcript.show(team.all());
void showDamage();
observer.changed();
// Before, nothing would have come of a click; the other buttons have been enabled by the observer.
for (const name of ["archive-open", "settings-open", "send"]) {
  elementById(name, HTMLButtonElement).disabled = false;
}

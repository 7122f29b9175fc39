// The chat page: keeps its conversation inside the model's context window.

import { openAICompatible } from "epitome";
import { Addressing } from "./addressing.js";
import type { ChatMessage } from "./answer.js";
import { archiveOf, download } from "./archive.js";
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
import { editSettings, endpointOf, loadSettings, policyOf, storeSettings } from "./settings.js";
import { Team } from "./team.js";
import { type Sight, Transcript } from "./transcript.js";

const SYSTEM: ChatMessage = { role: "system", content: "You are a helpful assistant. Answer briefly." };

let settings = loadSettings();
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
    summarize: (request, context) => openAICompatible(endpointOf(settings))(request, context),
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
let examples = 0;

const observer: Observer = {
  sent: (said) => transcript.add(said),
  received: (text, said) => transcript.write(text, said),
  answered: (message) => transcript.finish(message),
  failed(message, name) {
    const again = element("button", { type: "button" }, "Try again");
    const alert = element("div", { class: "problem", role: "alert" }, element("p", {}, message), again);
    again.addEventListener("click", () => {
      if (conversation.activity === "nothing") {
        alert.remove();
        text.focus();
        void conversation.ask(name);
      }
    });
    transcript.insert(alert);
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
  const saved = await editSettings(elementById("settings", HTMLDialogElement), settings);
  if (saved !== undefined && conversation.activity === "nothing") {
    settings = saved;
    storeSettings(settings);
    if (kept.role() !== "follower") {
      conversation.settings = settings;
    }
  }
});

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

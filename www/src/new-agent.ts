// The dialog that adds an agent.

import { elementById } from "./element.js";

/** Makes the button open the dialog. `add` is called with the name and the role of the new agent. */
export function newAgentOf(names: () => readonly string[], add: (name: string, role: string) => void): void {
  const dialog = elementById("agent", HTMLDialogElement);
  const form = elementById("agent-form", HTMLFormElement);
  const name = elementById("agent-name", HTMLInputElement);
  const role = elementById("agent-role", HTMLTextAreaElement);
  // Names that the page has for others.
  const taken = ["you", "model", "system"];
  name.addEventListener("input", () => {
    const given = name.value.trim().toLowerCase();
    const isTaken = [...taken, ...names().map((each) => each.toLowerCase())].includes(given);
    name.setCustomValidity(isTaken ? `There is a ${given} already.` : "");
  });
  elementById("agent-open", HTMLButtonElement).addEventListener("click", () => {
    form.reset();
    name.setCustomValidity("");
    dialog.returnValue = "cancel";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "add") {
      add(name.value.trim(), role.value.trim());
    }
  });
}

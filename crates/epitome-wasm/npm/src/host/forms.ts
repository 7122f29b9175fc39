// What agents have written in formats of their own, beside the messages that the team has of it.

/** What an agent has written, as it has written it. */
export interface Form {
  readonly agent: string;
  readonly format: string;
  /** The ids of the messages that the team has of it, in order. */
  readonly ids: readonly string[];
  readonly messages: readonly object[];
}

/** The forms by the ids of all messages that the team has of them. */
export class Forms {
  readonly #byId = new Map<string, Form>();
  /** Increases with every change. */
  revision = 0;

  get(id: string): Form | undefined {
    return this.#byId.get(id);
  }

  add(form: Form): void {
    form.ids.forEach((id) => this.#byId.set(id, form));
    this.revision += 1;
  }

  /** Forgets the form that a message is from, after it has changed. Returns the first message of that. */
  drop(id: string): string | undefined {
    const form = this.#byId.get(id);
    form?.ids.forEach((own) => this.#byId.delete(own));
    this.revision += 1;
    return form?.ids[0];
  }
}

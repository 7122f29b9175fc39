// A conversation that several tabs have open: one writes, and the others show what it commits.

import { epitomeError, guarded } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Compactor } from "../host/compactor.js";
import type { OpenConversation, OpenOptions, TabsOptions } from "./conversation.js";
import { forwarded } from "./forwarded.js";
import { archiveOf } from "./transfer.js";
import { Turns, type WriterListener } from "./turns.js";
import type { Read } from "./verified.js";

type Options<M extends object> = OpenOptions<M, Format>;

/** Opens a conversation as its writer. */
type Open<M extends object> = (options: Options<M>, listener: WriterListener) => Promise<OpenConversation<M>>;

/** Makes a compactor that stores nothing. */
type Follow<M extends object> = (read: Read, options: Options<M>) => Promise<Compactor<M>>;

/** Opens a conversation for one of several tabs. The app has one compactor all the time, whose calls go to the one that the tab
 * shows. */
export async function inTabs<M extends object>(
  options: Options<M>,
  tabs: TabsOptions,
  open: Open<M>,
  follow: Follow<M>,
): Promise<OpenConversation<M>> {
  const { store, id, cipher } = options;
  const turns = new Turns<Compactor<M>>(
    {
      store,
      id,
      ...(cipher === undefined ? {} : { cipher }),
      write: async (listener) => {
        const writing = await open(options, listener);
        return { shown: writing.compactor, writing };
      },
      follow: (read) => follow(read, options),
      isSaved: (compactor) => compactor.saveState() === "saved",
      dispose: (compactor) => compactor.dispose(),
    },
    tabs,
  );
  const compactor = forwarded<M>({
    compactor: () => turns.shown,
    whyReadOnly: () => (turns.role() === "follower" ? follows(id) : undefined),
    close: () => turns.close(),
    exchanged: turns.exchanged,
  });
  await turns.begin();
  return {
    compactor,
    get damage() {
      return turns.damage;
    },
    sequence: () => turns.sequence(),
    role: () => turns.role(),
    takeOver: () => turns.takeOver(),
    archive: () => guarded(() => archiveOf(compactor.contents())),
    close: () => turns.close(),
  };
}

function follows(id: string): Error {
  return epitomeError(
    "conflict",
    `another tab writes to the conversation ${JSON.stringify(id)}, and this one follows it; it writes after takeOver(), or when the other is closed`,
  );
}

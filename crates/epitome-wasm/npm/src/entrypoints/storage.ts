// Conversations that are kept: what a store is, one in memory, opening, exporting and importing, and a queue of compactions.

export { openConversation } from "../storage/open.js";
export type { Compactors, OpenConversation, OpenOptions, Role, TabsOptions } from "../storage/conversation.js";
export type { Cipher } from "../storage/cipher.js";
export { indexedDbStore, type IndexedDbOptions } from "../storage/indexed-db.js";
export { memoryStore } from "../storage/memory.js";
export type { Derived, Head, NewCommit, Store, StoredCommit, StoredConversation } from "../storage/store.js";
export { readTail, type Tail, type TailOptions } from "../storage/tail.js";
export { forgetDamage, readDamage } from "../storage/damaged.js";
export { persistStorage, storageUse } from "../storage/space.js";
export type { SizedConversation, StorageUse } from "../storage/space.js";
export { exportConversation, importConversation } from "../storage/transfer.js";
export type { Imported, TransferOptions } from "../storage/transfer.js";
export type { Damage } from "../storage/verified.js";
export { compactionQueue, jobKey } from "../queue/queue.js";
export type { Clock, CompactionQueue, ConversationKey, JobContext, QueueOptions } from "../queue/queue.js";
export type { QueueSettings } from "../queue/schedule.js";

// Encryption at rest, by functions of the app.

/** Encrypts what a store gets. The keys stay with the app. */
export interface Cipher {
  /** Encrypts the records or the state of a conversation. */
  encrypt(text: string, conversation: string): string | Promise<string>;
  /** Decrypts what `encrypt` has returned. Throws if it is not that. */
  decrypt(text: string, conversation: string): string | Promise<string>;
}

/** A cipher that does nothing. */
export const NO_CIPHER: Cipher = { encrypt: (text) => text, decrypt: (text) => text };

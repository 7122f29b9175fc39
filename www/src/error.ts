// Why there is no answer.

/** A failure with a message for the user. */
export class AnswerError extends Error {
  override name = "AnswerError";
}

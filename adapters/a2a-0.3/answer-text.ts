/**
 * The text that an agent builds up in `working` statuses. Some send each piece (`Hel`, `lo`), some everything so far
 * (`Hel`, `Hello`), some each piece and then the whole message again (ADK); after a tool's turn, they begin anew.
 *
 * A text that begins with the message so far grows or repeats it; any other is the next piece, or, once the message has
 * been said as a whole, the beginning of the next one. Not to be told apart: a second piece that begins with the first.
 */
export class AnswerText {
  /** The messages before this one. */
  #done = "";
  #message = "";
  /** The message was said in pieces, and is not repeated yet. */
  #pieces = 0;
  #isWhole = false;
  /** This agent sends pieces. */
  #hasPieces = false;

  get text(): string {
    return this.#done + this.#message;
  }

  /** Takes the text of the next status and gives what it adds. */
  add(said: string): string {
    if (said === "") return "";
    if (this.#message === "") return this.#begin(said);
    if (isSameText(said, this.#message) || isSameText(said, this.text)) {
      this.#isWhole = true;
      return "";
    }
    if (said.startsWith(this.#message) && (this.#pieces > 1 || !this.#hasPieces)) {
      const rest = said.slice(this.#message.length);
      this.#message = said;
      this.#isWhole = true;
      return rest;
    }
    if (this.#isWhole) return this.#begin(said);
    this.#message += said;
    this.#pieces += 1;
    this.#hasPieces = true;
    return said;
  }

  #begin(said: string): string {
    this.#done += this.#message;
    this.#message = said;
    this.#pieces = 1;
    this.#isWhole = false;
    return said;
  }
}

/** But for space at the end, which some agents leave out of one of the two. */
const isSameText = (one: string, other: string): boolean =>
  one.trim() !== "" && one.trimEnd() === other.trimEnd();

import { RAW_CHARS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import { cutText } from "#modules/reconciliation/core/statements/values/texts.ts";

/** The source of an element from its beginning on, of which only as much is kept as a line may carry. */
export class RawText {
  readonly #start: number;
  #text: string;

  constructor(start: number, text: string) {
    this.#start = start;
    this.#text = text;
  }

  append(piece: string): void {
    // One unit more than is kept shows that the text was cut.
    if (this.#text.length <= RAW_CHARS_MAX) this.#text += piece;
  }

  until(end: number): string {
    return cutText(this.#text.slice(0, end - this.#start));
  }
}

import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";

/** The longest header of OFX 1. */
const HEADER_CHARS_MAX = 1_000;

const PAIR = /^([A-Z]+):[ \t]*([A-Za-z0-9._-]*)\s*/;
/** The values that members of the header may have; others are not limited. */
const VALUES: Readonly<Record<string, RegExp>> = {
  OFXHEADER: /^100$/,
  DATA: /^OFXSGML$/,
  VERSION: /^1\d\d$/,
  COMPRESSION: /^NONE$/,
};

/** The header of OFX 1, lines such as `DATA:OFXSGML` in front of the first element. */
export class OfxHeader {
  readonly #cursor: TextCursor;
  #text = "";

  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
  }

  /** The text behind the header, before which `cursor` stands then; undefined while the header has not ended. */
  push(piece: string): string | undefined {
    this.#text += piece;
    const end = this.#text.indexOf("<");
    if (end < 0 && this.#text.length <= HEADER_CHARS_MAX) return undefined;
    if (end < 0 || end > HEADER_CHARS_MAX)
      throw this.#error("The file does not begin with a header of OFX and an element <OFX>.");
    this.#read(this.#text.slice(0, end));
    return this.#text.slice(end);
  }

  #read(header: string): void {
    let rest = this.#skip(header, header.length - header.trimStart().length);
    while (rest !== "") {
      const pair = PAIR.exec(rest);
      if (pair === null)
        throw this.#error("The header has a line that is not of the form NAME:VALUE.");
      const [all, name = "", value = ""] = pair;
      if (VALUES[name]?.test(value) === false)
        throw this.#error(
          `The header has ${name}:${value}, which is not what files of OFX 1 have.`,
        );
      rest = this.#skip(rest, all.length);
    }
  }

  #skip(text: string, length: number): string {
    this.#cursor.advance(text.slice(0, length));
    return text.slice(length);
  }

  #error(message: string): StatementError {
    const position = this.#text === "" ? FILE_START : this.#cursor.position;
    return new StatementError("SYNTAX", message, position);
  }
}

import { type ElementHandler, type ElementReader, RUN_CHARS_MAX } from "./element-reader.ts";
import type { RawText } from "./raw-text.ts";
import { SourceWindow } from "./source-window.ts";
import { DEPTH_MAX, NAME_CHARS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  type FilePosition,
  quoteText,
  StatementError,
  type StatementErrorKind,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";

interface OpenElement {
  readonly name: string;
  readonly content: FilePosition;
  text: string;
  hasElements: boolean;
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;
const ENTITY = /&(?:lt|gt|amp|nbsp|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});/g;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  nbsp: " ",
  quot: '"',
  apos: "'",
};

/**
 * Reads the SGML of OFX 1 (OFX 1.6, section 2.3): elements with text need no end tag, and the others have one. `leaves` are names of elements
 * that never have elements inside, so that an empty one without end tag is no parent of what follows.
 */
export class SgmlReader implements ElementReader {
  readonly #window: SourceWindow;
  readonly #handler: ElementHandler;
  readonly #leaves: ReadonlySet<string>;
  readonly #stack: OpenElement[] = [];
  /** What was not read yet, and its offset. */
  #rest = "";
  #offset = 0;
  /** The offset where the element that is being closed ends. */
  #sourceEnd = 0;
  #hasRoot = false;

  constructor(
    cursor: TextCursor,
    { handler, leaves }: { handler: ElementHandler; leaves: ReadonlySet<string> },
  ) {
    this.#window = new SourceWindow(cursor);
    this.#handler = handler;
    this.#leaves = leaves;
  }

  get position(): FilePosition {
    return this.#window.at(this.#offset);
  }

  keepSource(): RawText {
    return this.#window.open();
  }

  takeSource(raw: RawText): string {
    return this.#window.close(raw, this.#sourceEnd);
  }

  write(piece: string): void {
    this.#window.push(piece, this.#rest.length);
    this.#rest += piece;
    while (this.#readNext());
    if (this.#rest.length > RUN_CHARS_MAX)
      throw this.#error("LIMIT", `A tag or text is longer than ${RUN_CHARS_MAX} characters.`);
  }

  end(): void {
    const open = this.#stack.at(-1);
    if (this.#rest.trim() !== "" || open !== undefined) {
      const where = open === undefined ? "after its last element" : `inside of <${open.name}>`;
      throw this.#error("SYNTAX", `The file ends ${where}.`);
    }
    if (!this.#hasRoot) throw this.#error("SYNTAX", "The file has no element.");
  }

  /** Reads the text before the next tag, and the tag, if both are there. */
  #readNext(): boolean {
    const start = this.#rest.indexOf("<");
    if (start < 0) return false;
    const end = this.#rest.indexOf(">", start);
    if (end < 0) return false;
    this.#addText(this.#rest.slice(0, start));
    const tag = this.#rest.slice(start + 1, end);
    this.#skip(start);
    this.#sourceEnd = this.#offset;
    const length = end + 1 - start;
    if (tag.startsWith("/")) this.#endTag(tag.slice(1), length);
    else this.#startTag(tag, length);
    return true;
  }

  #skip(length: number): void {
    this.#offset += length;
    this.#rest = this.#rest.slice(length);
  }

  #addText(text: string): void {
    if (text.trim() === "") return;
    const element = this.#stack.at(-1);
    if (element === undefined || element.hasElements)
      throw this.#error("SYNTAX", "The file has a text between elements.");
    element.text += text;
  }

  #startTag(tag: string, length: number): void {
    if (tag.startsWith("!"))
      throw this.#error(
        "FORBIDDEN",
        "The file has a declaration, which no OFX file needs: it is refused.",
      );
    this.#assertName(tag);
    const parent = this.#stack.at(-1);
    if (parent !== undefined && this.#isLeaf(parent)) this.#close();
    else if (parent !== undefined) parent.hasElements = true;
    const name = tag.toUpperCase();
    if (this.#stack.length >= DEPTH_MAX)
      throw this.#error("LIMIT", `Elements are nested deeper than ${DEPTH_MAX} levels.`);
    if (this.#stack.length === 0 && this.#hasRoot)
      throw this.#error("SYNTAX", "The file has a second root element.");
    this.#hasRoot = true;
    const position = this.position;
    this.#handler.open({ name, namespace: "", attributes: new Map(), position });
    this.#skip(length);
    this.#stack.push({ name, content: this.position, text: "", hasElements: false });
  }

  #endTag(tag: string, length: number): void {
    this.#assertName(tag);
    const name = tag.toUpperCase();
    for (;;) {
      const element = this.#stack.at(-1);
      if (element?.name === name) break;
      // An element that has elements needs its own end tag.
      if (element === undefined || element.hasElements)
        throw this.#error(
          "SYNTAX",
          `The end tag ${quoteText(tag)} does not close the element ${quoteText(element?.name ?? "")}.`,
        );
      this.#close();
    }
    this.#sourceEnd = this.#offset + length;
    this.#close();
    this.#skip(length);
  }

  #isLeaf({ name, text }: OpenElement): boolean {
    return text !== "" || this.#leaves.has(name);
  }

  #close(): void {
    const element = this.#stack.pop();
    if (element === undefined) return;
    const text = element.text.replaceAll(ENTITY, (entity) => characterOf(entity));
    this.#handler.close({ name: element.name, text, position: element.content });
  }

  #assertName(name: string): void {
    if (NAME.test(name) && name.length <= NAME_CHARS_MAX) return;
    throw this.#error("SYNTAX", `The tag ${quoteText(name)} is no name of an element.`);
  }

  #error(kind: StatementErrorKind, message: string): StatementError {
    return new StatementError(kind, message, this.position);
  }
}

/** The character of an entity; one of no character stays as it is written. */
function characterOf(entity: string): string {
  const name = entity.slice(1, -1);
  if (!name.startsWith("#")) return ENTITIES[name] ?? entity;
  const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : entity;
}

import { SaxesParser, type SaxesTagNS } from "saxes";
import { type ElementHandler, type ElementReader, RUN_CHARS_MAX } from "./element-reader.ts";
import type { RawText } from "./raw-text.ts";
import { SourceWindow } from "./source-window.ts";
import {
  ATTRIBUTES_MAX,
  DEPTH_MAX,
  NAME_CHARS_MAX,
} from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  type FilePosition,
  StatementError,
  type StatementErrorKind,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

interface OpenElement {
  readonly name: string;
  readonly content: FilePosition;
  text: string;
}

/** An XML document that comes in pieces, read by saxes. Document types and entities other than the predefined ones are refused. */
export class XmlReader implements ElementReader {
  readonly #parser: SaxesParser<{ xmlns: true; position: true }>;
  readonly #window: SourceWindow;
  readonly #handler: ElementHandler;
  readonly #stack: OpenElement[] = [];
  #tag: FilePosition;
  /** The end of what was read last outside of the root element. */
  #outside: FilePosition;
  #attributes = new Map<string, Field>();
  /** The offset of the last event, from which the length of a run is counted. */
  #lastEvent = 0;
  /** The number of characters until the end of the last piece. */
  #received = 0;

  constructor(cursor: TextCursor, handler: ElementHandler) {
    this.#window = new SourceWindow(cursor);
    this.#handler = handler;
    this.#tag = cursor.position;
    this.#outside = cursor.position;
    const parser = new SaxesParser({ xmlns: true, position: true });
    this.#parser = parser;
    parser.on("error", (error) => this.#fail(error.message));
    parser.on("doctype", (text) => this.#refuseDoctype(text));
    parser.on("opentagstart", ({ name }) => this.#startTag(name));
    parser.on("attribute", ({ name, value }) => this.#addAttribute(name, value));
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("text", (text) => this.#addText(text));
    parser.on("cdata", (text) => this.#addText(text));
    parser.on("closetag", () => this.#close());
    parser.on("xmldecl", () => this.#markOutside());
    parser.on("comment", () => this.#markOutside());
    parser.on("processinginstruction", () => this.#markOutside());
  }

  /** Keeps the source of the element whose tag was opened last. */
  keepSource(): RawText {
    return this.#window.open();
  }

  /** The source of the element that has just closed. */
  takeSource(raw: RawText): string {
    return this.#window.close(raw, this.#parser.position);
  }

  /** Where the reader stands. */
  get position(): FilePosition {
    return this.#window.at(this.#parser.position);
  }

  write(piece: string): void {
    this.#window.push(piece);
    this.#parser.write(piece);
    this.#received += piece.length;
    // Between pieces, the parser's own position is not that of the text's end.
    if (this.#received - this.#lastEvent > RUN_CHARS_MAX)
      throw this.#error(
        "LIMIT",
        `A tag, comment or text is longer than ${RUN_CHARS_MAX} characters.`,
      );
  }

  end(): void {
    this.#parser.close();
  }

  #startTag(name: string): void {
    // The parser has read the name and the character behind it.
    this.#tag = this.#window.at(this.#parser.position - name.length - 2);
    this.#attributes = new Map();
    this.#mark();
    if (name.length > NAME_CHARS_MAX)
      throw this.#error(
        "LIMIT",
        `The name of an element is longer than ${NAME_CHARS_MAX} characters.`,
      );
    if (this.#stack.length >= DEPTH_MAX)
      throw this.#error("LIMIT", `Elements are nested deeper than ${DEPTH_MAX} levels.`);
  }

  #addAttribute(name: string, text: string): void {
    // The parser has read the value and the quote behind it.
    const position = this.#window.at(this.#parser.position - text.length - 1);
    this.#attributes.set(name, { text, position });
    this.#mark();
    if (this.#attributes.size > ATTRIBUTES_MAX || name.length > NAME_CHARS_MAX) {
      throw this.#error(
        "LIMIT",
        `An element has more than ${ATTRIBUTES_MAX} attributes or one with a name of more than ${NAME_CHARS_MAX} characters.`,
      );
    }
  }

  #open({ local, uri }: SaxesTagNS): void {
    const element = {
      name: local,
      namespace: uri,
      attributes: this.#attributes,
      position: this.#tag,
    };
    this.#mark();
    this.#handler.open(element);
    this.#stack.push({ name: local, content: this.position, text: "" });
  }

  #addText(text: string): void {
    const element = this.#stack.at(-1);
    if (element === undefined) return;
    this.#mark();
    // White space between elements is no value.
    element.text += element.text === "" && text.trim() === "" ? "" : text;
    if (element.text.length > RUN_CHARS_MAX)
      throw new StatementError(
        "LIMIT",
        `${element.name} is longer than ${RUN_CHARS_MAX} characters.`,
        element.content,
      );
  }

  #close(): void {
    const element = this.#stack.pop();
    if (element === undefined) return;
    this.#markOutside();
    const { name, text, content } = element;
    this.#handler.close({ name, text, position: content });
  }

  #markOutside(): void {
    this.#mark();
    if (this.#stack.length === 0) this.#outside = this.position;
  }

  #mark(): void {
    this.#lastEvent = this.#parser.position;
  }

  #refuseDoctype(text: string): never {
    const start = this.#parser.position - "<!DOCTYPE>".length - text.length;
    throw new StatementError(
      "FORBIDDEN",
      "The file has a document type declaration, which no statement needs: it is refused.",
      this.#window.at(start),
    );
  }

  /** Throws the error of a message of the parser, which begins with a line and a column. */
  #fail(message: string): never {
    const reason = message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
    if (reason === "undefined entity")
      throw this.#error(
        "FORBIDDEN",
        "The file uses an entity that is not predefined in XML: it is refused.",
      );
    const sentence = `The file is no well-formed XML: ${reason}.`;
    // The parser says so only at the end of the text.
    if (reason === "text data outside of root node")
      throw new StatementError("SYNTAX", sentence, this.#outside);
    throw this.#error("SYNTAX", sentence);
  }

  #error(kind: StatementErrorKind, message: string): StatementError {
    return new StatementError(kind, message, this.position);
  }
}

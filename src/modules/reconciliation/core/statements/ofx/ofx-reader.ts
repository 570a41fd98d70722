import { OfxHeader } from "./ofx-header.ts";
import { OFX_LEAVES } from "./ofx-leaves.ts";
import { assertSuccess, OfxStatement } from "./ofx-statement.ts";
import type { FormatReader } from "#modules/reconciliation/core/statements/builder/format-reader.ts";
import { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import type {
  ElementEnd,
  ElementHandler,
  ElementReader,
  ElementStart,
} from "#modules/reconciliation/core/statements/elements/element-reader.ts";
import { type RawText } from "#modules/reconciliation/core/statements/elements/raw-text.ts";
import { SgmlReader } from "#modules/reconciliation/core/statements/elements/sgml-reader.ts";
import { XmlReader } from "#modules/reconciliation/core/statements/elements/xml-reader.ts";
import type { ReadOptions } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementEvent } from "#modules/reconciliation/core/statements/model/statement.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";
import { StatementAssets } from "#modules/reconciliation/core/statements/values/assets.ts";
import { ElementFields } from "#modules/reconciliation/core/statements/values/element-fields.ts";

/** Elements whose values are read together when they end, and the elements in which they stand. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  STMTRS: ["STMTTRNRS"],
  CCSTMTRS: ["CCSTMTTRNRS"],
  STMTTRN: ["BANKTRANLIST"],
  STMTTRNP: ["BANKTRANLISTP"],
  STATUS: ["SONRS", "STMTTRNRS", "CCSTMTTRNRS"],
};

/** Elements of statements that are none of an account. */
const OTHER_STATEMENTS = new Set(["INVSTMTRS", "LOANSTMTRS", "INV401KSTMTRS"]);

interface Container {
  readonly name: string;
  readonly fields: ElementFields;
  readonly depth: number;
  readonly source: RawText | undefined;
}

/** Reads OFX 1, which is SGML, and OFX 2, which is XML: statements of banks and of credit cards. */
export class OfxReader implements FormatReader, ElementHandler {
  readonly #cursor: TextCursor;
  readonly #builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  readonly #header: OfxHeader;
  #elements: ElementReader | undefined;
  readonly #path: string[] = [];
  readonly #containers: Container[] = [];
  #statement: OfxStatement | undefined;

  constructor(cursor: TextCursor, options: ReadOptions) {
    this.#cursor = cursor;
    this.#assets = new StatementAssets(options);
    this.#header = new OfxHeader(cursor);
  }

  write(text: string): readonly StatementEvent[] {
    this.#read(text);
    return this.#builder.drain();
  }

  end(): readonly StatementEvent[] {
    if (this.#elements === undefined)
      throw new StatementError(
        "SYNTAX",
        "The file ends inside of its header.",
        this.#cursor.position,
      );
    this.#elements.end();
    if (this.#builder.statements === 0)
      throw new StatementError(
        "MISSING",
        "The file has no statement (STMTRS or CCSTMTRS).",
        this.#elements.position,
      );
    return this.#builder.drain();
  }

  #read(text: string): void {
    if (this.#elements !== undefined) return this.#elements.write(text);
    // The first piece is long enough to have the declaration of XML, if there is one.
    if (/^\s*<\?/.test(text)) {
      this.#elements = new XmlReader(this.#cursor, this);
      return this.#elements.write(text);
    }
    const rest = this.#header.push(text);
    if (rest === undefined) return;
    this.#elements = new SgmlReader(this.#cursor, { handler: this, leaves: OFX_LEAVES });
    this.#elements.write(rest);
  }

  open(element: ElementStart): void {
    const { name, position } = element;
    this.#path.push(name);
    if (this.#path.length === 1 && name !== "OFX")
      throw new StatementError(
        "UNSUPPORTED",
        `The root element is ${quoteText(name)} instead of OFX.`,
        position,
      );
    if (OTHER_STATEMENTS.has(name))
      throw new StatementError(
        "UNSUPPORTED",
        "The file has a statement of investments or loans.",
        position,
      );
    const parents = PARENTS[name];
    if (parents === undefined) return;
    if (!parents.includes(this.#path.at(-2) ?? "")) {
      const message = `The element ${name} stands in ${quoteText(this.#path.at(-2) ?? "")} instead of ${parents.join(" or ")}.`;
      throw new StatementError("SYNTAX", message, position);
    }
    const fields = new ElementFields(name, position);
    const source = name === "STMTTRN" ? this.#elements?.keepSource() : undefined;
    this.#containers.push({ name, fields, depth: this.#path.length, source });
    if (name === "STMTRS" || name === "CCSTMTRS")
      this.#statement = new OfxStatement(fields, this.#builder, this.#assets);
  }

  close({ text, position }: ElementEnd): void {
    const container = this.#containers.at(-1);
    if (container !== undefined && container.depth === this.#path.length) {
      this.#containers.pop();
      this.#closeContainer(container);
    } else if (container !== undefined && text.trim() !== "") {
      container.fields.add(this.#path.slice(container.depth).join("/"), { text, position });
    }
    this.#path.pop();
  }

  #closeContainer({ name, fields, source }: Container): void {
    if (name === "STATUS") return assertSuccess(fields);
    if (name === "STMTTRNP") return this.#statement?.pending(fields.position);
    if (name === "STMTTRN" && source !== undefined) {
      const raw = this.#elements?.takeSource(source) ?? "";
      return this.#statement?.addTransaction(fields, raw);
    }
    this.#statement?.finish();
    this.#statement = undefined;
  }
}

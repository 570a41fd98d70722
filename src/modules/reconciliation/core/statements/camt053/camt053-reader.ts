import { CamtStatement } from "./camt-statement.ts";
import type { FormatReader } from "#modules/reconciliation/core/statements/builder/format-reader.ts";
import { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import type {
  ElementEnd,
  ElementHandler,
  ElementStart,
} from "#modules/reconciliation/core/statements/elements/element-reader.ts";
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
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.(\d{3}\.\d{3}\.\d{2})$/;
/** The versions of `BankToCustomerStatement` that banks send: the first, the one of Swiss banks, and the one of 2019. */
const VERSIONS = ["053.001.02", "053.001.04", "053.001.08"];

/** Elements whose values are read together when they end. */
const CONTAINERS = new Set(["Stmt", "Bal", "Ntry", "TxDtls"]);

interface Container {
  readonly name: string;
  readonly fields: ElementFields;
  /** The depth of the container's own element. */
  readonly depth: number;
}

/**
 * Reads camt.053, `BankToCustomerStatement` of ISO 20022. An entry becomes one line for each of its transaction details when all of
 * these have amounts in the entry's currency that add up to the entry, and otherwise one line.
 */
export class Camt053Reader implements FormatReader, ElementHandler {
  readonly #xml: XmlReader;
  readonly #builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  readonly #path: string[] = [];
  readonly #containers: Container[] = [];
  /** The attribute of the element that was opened last. */
  #currency: Field | undefined;
  #statement: CamtStatement | undefined;

  constructor(cursor: TextCursor, options: ReadOptions) {
    this.#assets = new StatementAssets(options);
    this.#xml = new XmlReader(cursor, this);
  }

  write(text: string): readonly StatementEvent[] {
    this.#xml.write(text);
    return this.#builder.drain();
  }

  end(): readonly StatementEvent[] {
    this.#xml.end();
    if (this.#builder.statements === 0)
      throw new StatementError("MISSING", "The file has no statement (Stmt).", this.#xml.position);
    return this.#builder.drain();
  }

  open(element: ElementStart): void {
    this.#path.push(element.name);
    this.#assertPlace(element);
    this.#currency = element.attributes.get("Ccy");
    if (!this.#isContainer(element.name)) return;
    const fields = new ElementFields(element.name, element.position);
    this.#containers.push({ name: element.name, fields, depth: this.#path.length });
    if (element.name === "Stmt") {
      this.#statement = new CamtStatement(fields, this.#builder, this.#assets);
    } else if (element.name === "Ntry") this.#statement?.openEntry(this.#xml.keepSource());
    else if (element.name === "TxDtls") this.#statement?.openDetails(this.#xml.keepSource());
  }

  close({ text, position }: ElementEnd): void {
    const container = this.#containers.at(-1);
    const depth = this.#path.length;
    if (container !== undefined && container.depth === depth) {
      this.#containers.pop();
      this.#closeContainer(container);
    } else if (container !== undefined && text.trim() !== "") {
      const path = this.#path.slice(container.depth).join("/");
      container.fields.add(path, { text, position, currency: this.#currency });
    }
    this.#currency = undefined;
    this.#path.pop();
  }

  #closeContainer({ name, fields }: Container): void {
    const statement = this.#statement;
    if (statement === undefined) return;
    const source = (raw: Parameters<XmlReader["takeSource"]>[0]) => this.#xml.takeSource(raw);
    if (name === "Bal") statement.addBalance(fields);
    else if (name === "TxDtls") statement.closeDetails(fields, source);
    else if (name === "Ntry") statement.closeEntry(fields, source);
    else {
      statement.finish();
      this.#statement = undefined;
    }
  }

  /** Whether an element stands where the schema has the container of its name. */
  #isContainer(name: string): boolean {
    if (!CONTAINERS.has(name)) return false;
    const parent = this.#path.at(-2);
    if (name === "Stmt") return this.#path.length === 3;
    return name === "TxDtls" ? parent === "NtryDtls" : parent === "Stmt";
  }

  /** Throws `StatementError` for a document that is no statement of a version that is read. */
  #assertPlace({ name, namespace, position }: ElementStart): void {
    const depth = this.#path.length;
    if (depth === 1) this.#assertDocument({ name, namespace, position });
    else if (depth === 2 && name !== "BkToCstmrStmt") {
      const message = `The document holds ${quoteText(name)}, and no statement (BkToCstmrStmt).`;
      throw new StatementError("UNSUPPORTED", message, position);
    } else if (depth === 3 && name !== "Stmt" && name !== "GrpHdr" && name !== "SplmtryData") {
      const message = `BkToCstmrStmt holds ${quoteText(name)}, which it may not.`;
      throw new StatementError("SYNTAX", message, position);
    }
  }

  #assertDocument({ name, namespace, position }: Omit<ElementStart, "attributes">): void {
    const version = NAMESPACE.exec(namespace)?.[1];
    if (name === "Document" && version !== undefined && VERSIONS.includes(version)) return;
    const found =
      version === undefined
        ? `${quoteText(name)} of the namespace ${quoteText(namespace)}`
        : `camt.${version}`;
    const known = VERSIONS.map((known) => `camt.${known}`).join(", ");
    const message = `The document is ${found}; statements are documents of ${known}.`;
    throw new StatementError("UNSUPPORTED", message, position);
  }
}

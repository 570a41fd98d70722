import { MtFieldSplitter, type MtToken } from "./mt-fields.ts";
import { MtMessage, type MtType, type OpenPart } from "./mt-message.ts";
import type { FormatReader } from "#modules/reconciliation/core/statements/builder/format-reader.ts";
import { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import type { ReadOptions } from "#modules/reconciliation/core/statements/model/options.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementEvent } from "#modules/reconciliation/core/statements/model/statement.ts";
import {
  type Line,
  LineSplitter,
} from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";
import { StatementAssets } from "#modules/reconciliation/core/statements/values/assets.ts";

/** Reads files of the SWIFT messages MT940, customer statements, or MT942, interim transaction reports. Each message is a statement. */
export class MtReader implements FormatReader {
  readonly #type: MtType;
  readonly #lines: LineSplitter;
  readonly #fields = new MtFieldSplitter();
  readonly #builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  #message: MtMessage | undefined;
  #previous: OpenPart | undefined;

  constructor(type: MtType, cursor: TextCursor, options: ReadOptions) {
    this.#type = type;
    this.#lines = new LineSplitter(cursor);
    this.#assets = new StatementAssets(options);
  }

  write(text: string): readonly StatementEvent[] {
    this.#readLines(this.#lines.split(text));
    return this.#builder.drain();
  }

  end(): readonly StatementEvent[] {
    this.#readLines(this.#lines.end());
    this.#read(this.#fields.end());
    this.#endMessage();
    if (this.#builder.statements === 0)
      throw new StatementError(
        "MISSING",
        "The file has no message, which begins with :20:.",
        this.#lines.position,
      );
    return this.#builder.drain();
  }

  #readLines(lines: readonly Line[]): void {
    for (const line of lines) this.#read(this.#fields.push(line));
  }

  #read(tokens: readonly MtToken[]): void {
    for (const token of tokens) {
      if (token.type === "end") {
        this.#endMessage();
        continue;
      }
      const { field } = token;
      if (field.tag === "20") {
        this.#endMessage();
        const parts = { builder: this.#builder, assets: this.#assets, previous: this.#previous };
        this.#message = new MtMessage(this.#type, field, parts);
      }
      if (this.#message === undefined) {
        const message = `The field :${field.tag}: stands outside of a message, which begins with :20:.`;
        throw new StatementError("SYNTAX", message, field.position);
      }
      this.#message.add(field);
    }
  }

  #endMessage(): void {
    if (this.#message === undefined) return;
    this.#previous = this.#message.end();
    this.#message = undefined;
  }
}

import { assertCount, assertSum, Bai2Account } from "./bai2-account.ts";
import { type Bai2Record, Bai2Records } from "./bai2-records.ts";
import { assertTime, fieldOf, parseDay, requireField } from "./bai2-values.ts";
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
import {
  type StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";

/** The currency of groups and accounts that name none. */
const DEFAULT_CURRENCY = "USD";

interface Group {
  readonly day: string;
  readonly currency: StatementAsset;
  sum: bigint;
  accounts: number;
  records: number;
}

/** Which records may follow inside of what is open. */
type Level = "file" | "group" | "account" | "none";
const LEVELS: Readonly<Record<string, Level>> = {
  "01": "none",
  "02": "file",
  "03": "group",
  "16": "account",
  "49": "account",
  "98": "group",
  "99": "file",
};

/** Reads files of BAI2, the Cash Management Balance Reporting format of the Bank Administration Institute, version 2. Each account of a group is a statement. */
export class Bai2Reader implements FormatReader {
  readonly #lines: LineSplitter;
  readonly #records = new Bai2Records();
  readonly #builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  #file: { readonly id: string; sum: bigint; groups: number; records: number } | undefined;
  #group: Group | undefined;
  #account: Bai2Account | undefined;

  constructor(cursor: TextCursor, options: ReadOptions) {
    this.#lines = new LineSplitter(cursor);
    this.#assets = new StatementAssets(options);
  }

  write(text: string): readonly StatementEvent[] {
    this.#readLines(this.#lines.split(text));
    return this.#builder.drain();
  }

  end(): readonly StatementEvent[] {
    this.#readLines(this.#lines.end());
    const last = this.#records.end();
    if (last !== undefined) this.#read(last);
    const level = this.#level();
    if (level !== "none") {
      const trailer = { account: "49", group: "98", file: "99" }[level];
      throw new StatementError(
        "MISSING",
        `The file ends before the trailer (${trailer}) of its last ${level}.`,
        this.#lines.position,
      );
    }
    if (this.#builder.statements === 0)
      throw new StatementError("MISSING", "The file has no account (03).", this.#lines.position);
    return this.#builder.drain();
  }

  #readLines(lines: readonly Line[]): void {
    for (const line of lines) {
      const record = this.#records.push(line);
      if (record !== undefined) this.#read(record);
    }
  }

  #level(): Level {
    if (this.#account !== undefined) return "account";
    if (this.#group !== undefined) return "group";
    return this.#file === undefined ? "none" : "file";
  }

  #read(record: Bai2Record): void {
    const level = this.#level();
    if (LEVELS[record.code] !== level) {
      const place = level === "none" ? "outside of a file" : `inside of the ${level}`;
      throw new StatementError(
        "SYNTAX",
        `A record ${record.code} may not stand ${place}.`,
        record.position,
      );
    }
    if (record.code === "01") this.#beginFile(record);
    else if (record.code === "02") this.#beginGroup(record);
    else if (record.code === "03") this.#beginAccount(record);
    else if (record.code === "16") this.#account?.addDetail(record);
    else if (record.code === "49") this.#endAccount(record);
    else if (record.code === "98") this.#endGroup(record);
    else this.#endFile(record);
  }

  #beginFile(record: Bai2Record): void {
    const sender = requireField(record, 2, "sender").text.trim();
    const day = parseDay(requireField(record, 4, "creation date"), "The creation date of the file");
    assertTime(fieldOf(record, 5));
    const number = requireField(record, 6, "identification number").text.trim();
    const version = requireField(record, 9, "version");
    if (version.text.trim() !== "2")
      throw new StatementError(
        "UNSUPPORTED",
        "The file is of another version than 2 of BAI.",
        version.position,
      );
    this.#file = {
      id: [sender, day, number].join("/"),
      sum: 0n,
      groups: 0,
      records: record.ends.length,
    };
  }

  #beginGroup(record: Bai2Record): void {
    const status = requireField(record, 4, "status");
    if (!["1", "3"].includes(status.text.trim())) {
      const message =
        "A group is no update (1) or correction (3): deletions and tests are no statements.";
      throw new StatementError("UNSUPPORTED", message, status.position);
    }
    assertTime(fieldOf(record, 6));
    this.#group = {
      day: parseDay(requireField(record, 5, "as-of date"), "The as-of date of a group"),
      currency: this.#currencyOf(record, 7) ?? this.#default(record),
      sum: 0n,
      accounts: 0,
      records: record.ends.length,
    };
  }

  #default({ position }: Bai2Record): StatementAsset {
    return this.#assets.ofCurrency({ text: DEFAULT_CURRENCY, position }, "The currency of a group");
  }

  #currencyOf(record: Bai2Record, number: number): StatementAsset | undefined {
    const field = fieldOf(record, number);
    if (field === undefined || field.text.trim() === "") return undefined;
    return this.#assets.ofCurrency(field, `The currency of a record ${record.code}`);
  }

  #beginAccount(record: Bai2Record): void {
    const [file, group] = [this.#file, this.#group];
    if (file === undefined || group === undefined) return;
    this.#account = new Bai2Account(record, {
      id: [file.id, group.day].join("/"),
      asset: this.#currencyOf(record, 3) ?? group.currency,
      day: group.day,
      builder: this.#builder,
    });
  }

  #endAccount(trailer: Bai2Record): void {
    const [group, account] = [this.#group, this.#account];
    if (group === undefined || account === undefined) return;
    account.end(trailer);
    group.sum += account.control;
    group.accounts++;
    group.records += account.records;
    this.#account = undefined;
  }

  #endGroup(trailer: Bai2Record): void {
    const [file, group] = [this.#file, this.#group];
    if (file === undefined || group === undefined) return;
    group.records += trailer.ends.length;
    assertSum(trailer, group.sum, "group");
    assertCount(trailer, 3, { found: group.accounts, what: "accounts of the group" });
    assertCount(trailer, 4, { found: group.records, what: "records of the group" });
    file.sum += group.sum;
    file.groups++;
    file.records += group.records;
    this.#group = undefined;
  }

  #endFile(trailer: Bai2Record): void {
    const file = this.#file;
    if (file === undefined) return;
    file.records += trailer.ends.length;
    assertSum(trailer, file.sum, "file");
    assertCount(trailer, 3, { found: file.groups, what: "groups of the file" });
    assertCount(trailer, 4, { found: file.records, what: "records of the file" });
    this.#file = undefined;
  }
}

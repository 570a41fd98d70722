import type { StatementRefusal } from "./refusal.ts";
import type { Head } from "./statement.ts";
import type {
  CsvMapping,
  Encoding,
  StatementFormat,
} from "#modules/reconciliation/core/statements/index.ts";

/** How the files of a source are read. Members that are undefined are found out from the file. */
export interface ReadingOptions {
  /** The account of which a file has to be. */
  readonly account?: string | undefined;
  readonly format?: StatementFormat | undefined;
  readonly mapping?: CsvMapping | undefined;
  readonly encoding?: Encoding | undefined;
  readonly decimals?: Readonly<Record<string, number>> | undefined;
}

/** A file that has arrived, and what is to become of it. */
export interface FileSpec {
  readonly sourceId: string;
  readonly reading: ReadingOptions;
  readonly fileName: string | undefined;
  /** The SHA-256 of the file, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Whether the file may overlap what the source has. */
  readonly mayOverlap: boolean;
  /** Who uploads it, as `toPrincipalColumn` writes it, and in which request. */
  readonly principal: string;
  readonly requestId: string;
}

/** What a file has given when it was read to its end. */
export interface ReadFile {
  readonly format: StatementFormat;
  readonly heads: readonly Head[];
  readonly lines: number;
  readonly pending: number;
}

/** What has become of a file that was read. */
export type Verdict =
  | ({ readonly isRead: true } & ReadFile)
  | {
      readonly isRead: false;
      readonly format: StatementFormat | undefined;
      readonly refusal: StatementRefusal;
    };

/** Why a file is refused, as an error. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
  readonly refusal: StatementRefusal;

  constructor(refusal: StatementRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Who deletes a file, as `toPrincipalColumn` writes it, and in which request. */
export interface Removal {
  readonly sourceId: string;
  readonly principal: string;
  readonly requestId: string;
}

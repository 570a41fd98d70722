import { parseJson, stringifyJson } from "#platform/json.ts";

/** An entry of a log, as a destination gets it. */
export interface LogItem {
  readonly id: number;
  /** The entry as JSON, as the list of logs shows it. */
  readonly text: string;
}

/** Consecutive entries after a position. */
export interface LogPage {
  readonly items: readonly LogItem[];
  /** Whether the page ends with the last entry of the log. */
  readonly isLast: boolean;
}

/** The fields of an entry that drivers need. */
export interface LogFields {
  readonly id: number;
  readonly type: string;
  readonly date: string;
  readonly data: unknown;
}

/** Parses an entry. Integers of any size stay exact. */
export const fieldsOf = ({ text }: LogItem): LogFields => parseJson(text) as LogFields; // the ledger has written it

/** The JSON of an entry with the additional member `ledger`. */
export const withLedger = ({ text }: LogItem, ledger: string): string =>
  `${text.slice(0, -1)},"ledger":${stringifyJson(ledger)}}`;

/** Entries of an export, which has one on each line, because no JSON text has a line break in it. */
export const toItems = (lines: string): LogItem[] =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((text) => ({ id: fieldsOf({ id: 0, text }).id, text }));

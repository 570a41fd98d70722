import type { PendingEntry } from "./pending-entry.ts";
import { parseWithoutDerived } from "#ledger-engine/rules/log/entry-json.ts";
import { type ImportedEntry, toImportedEntry } from "#ledger-engine/rules/log/imported-log.ts";
import { asInteger, derivedText } from "#ledger-engine/rules/texts.ts";
import { shownVolumes } from "#ledger-engine/rules/volume-texts.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";
import { attempt } from "#platform/result.ts";

/** An exported entry, with its text. */
export interface ParsedLine {
  readonly text: string;
  readonly entry: ImportedEntry;
  /** The text of the parts that the ledger must derive, if it was not parsed; undefined if the whole line was parsed. */
  readonly derived: string | undefined;
}

/**
 * Parses a line of an export, if possible without the parts that the ledger must derive. `number` is the number of the line. Throws the
 * errors of `parseWholeLine`.
 */
export function parseLine(text: string, number: number): ParsedLine {
  const json = parseWithoutDerived(text);
  const entry = json && attempt(() => toImportedEntry(json.value));
  return entry?.ok === true
    ? { text, entry: entry.value, derived: json?.derived }
    : parseWholeLine(text, number);
}

/** Throws `VALIDATION` if the line is not JSON, and `IMPORT` if it is no entry. */
export function parseWholeLine(text: string, number: number): ParsedLine {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new AppError("VALIDATION", `entry ${number} is not valid JSON`, {
      cause: error,
      details: error instanceof Error ? error.message : "",
    });
  }
  try {
    return { text, entry: toImportedEntry(value), derived: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw refused(`entry ${number} is not a log entry`, { cause: error, details: error.message });
  }
}

/** Throws `IMPORT` if the exported text of derived parts is not the text that the ledger derives. */
export function assertDerived(derived: string | undefined, { transaction }: PendingEntry): void {
  if (derived === undefined) return;
  const made = transaction && derivedText(transaction, shownVolumes(transaction, asInteger));
  if (derived === made) return;
  throw new AppError("IMPORT", "it was derived in another way");
}

/** The error of a refused import. */
export const refused = (
  message: string,
  options?: { cause?: unknown; details?: string },
): AppError => new AppError("IMPORT", `importing logs: ${message}`, options);

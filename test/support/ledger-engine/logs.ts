import { TestLedger, type TestLedgerOptions } from "./fixtures.ts";
import type { ImportOutcome } from "#ledger-engine/write/log-importer.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Exports the whole log of a ledger, one entry per line. */
export function exportOf({ engine }: Pick<TestLedger, "engine">): string {
  let page = engine.reads.exportLogs(-1);
  let { text } = page;
  while (page.after < page.to) {
    page = engine.reads.exportLogs(page.after, page.to);
    text += page.text;
  }
  return text;
}

/** JSON in the form of `stringifyJson`: without needless escapes, and with names such as "10" before others, as in objects. */
export const plainJson = (json: string): string => stringifyJson(parseJson(json));

/** The lines of an export, each as the JSON of its item in the list. */
export const plainLines = (text: string): string[] => linesOf(text).map(plainJson);

export const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Imports lines into a ledger in one call. */
export const importInto = (
  { engine }: Pick<TestLedger, "engine">,
  lines: readonly string[],
): ImportOutcome => engine.importLogs({ texts: lines, before: 0 });

/** Imports the exported log of a ledger into a new ledger. Throws for a refused entry. */
export function copyOf(ledger: TestLedger, options: TestLedgerOptions = {}): TestLedger {
  const copy = new TestLedger({ features: ledger.engine.info.features, ...options });
  const lines = linesOf(exportOf(ledger));
  const { taken, failure } = importInto(copy, lines);
  if (failure !== undefined || taken < lines.length)
    throw new Error(stringifyJson({ taken, failure }));
  return copy;
}

/** Changes of an entry: new values by the path to a field, such as `data.targetId`. Undefined removes a field. */
export type Changes = Readonly<Record<string, unknown>>;

type Fields = Record<string, unknown>;

export function changed(line: string, changes: Changes): string {
  const entry = parseJson(line) as Fields; // an exported entry is an object
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const fields = names.reduce((object, name) => object[name] as Fields, entry); // the test names fields that the entry has
    if (value === undefined) delete fields[last];
    else fields[last] = value;
  }
  return stringifyJson(entry);
}

/** A table for statements with the ids and hashes of all log entries. */
export const LOG_HASHES = "(SELECT log AS id, hash FROM tx UNION ALL SELECT id, hash FROM entry)";

import { TestLedger, type TestLedgerOptions } from "./fixtures.ts";
import type { ImportOutcome } from "#ledger-engine/write/log-importer.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** The whole log of a ledger as its export gives it, an entry a line. */
export function exportOf({ engine }: Pick<TestLedger, "engine">): string {
  let page = engine.reads.exportLogs(-1);
  let { text } = page;
  while (page.after < page.to) {
    page = engine.reads.exportLogs(page.after, page.to);
    text += page.text;
  }
  return text;
}

export const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Takes lines into a ledger, in one call. */
export const importInto = (
  { engine }: Pick<TestLedger, "engine">,
  lines: readonly string[],
): ImportOutcome => engine.importLogs({ texts: lines, before: 0 });

/** A new ledger that holds what another one has exported. Throws where anything is refused. */
export function copyOf(ledger: TestLedger, options: TestLedgerOptions = {}): TestLedger {
  const copy = new TestLedger({ features: ledger.engine.info.features, ...options });
  const lines = linesOf(exportOf(ledger));
  const { taken, failure } = importInto(copy, lines);
  if (failure !== undefined || taken < lines.length)
    throw new Error(stringifyJson({ taken, failure }));
  return copy;
}

/** What to change in an entry: values by the path to a field, `data.postings.0.amount`; undefined removes the field. */
export type Changes = Readonly<Record<string, unknown>>;

type Fields = Record<string, unknown>;

export function changed(line: string, changes: Changes): string {
  const entry = parseJson(line) as Fields; // an exported entry
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const fields = names.reduce((object, name) => object[name] as Fields, entry); // the test knows its entry
    if (value === undefined) delete fields[last];
    else fields[last] = value;
  }
  return stringifyJson(entry);
}

/** The catalogue of ledgers, in D1. `ledger` writes it; `exporters` reads it, because a pipeline exists as long as its ledger does. */
export { deletePurgedLedgerSizes, LEDGER_BACKLOG } from "./purged-ledger-sizes.ts";
export type { Ledger } from "./ledger.ts";
export { lastEntriesOf, lastEntryOfNamed } from "./ledger-ends.ts";
export { BUCKET_DEFAULT, type NewLedger, toLedgerInfo } from "./new-ledger.ts";
export { LEDGER_LIST_OPTIONS, LedgerCatalogue, unknownLedger } from "./store.ts";
export { ledgers } from "./tables.ts";

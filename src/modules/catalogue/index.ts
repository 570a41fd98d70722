/** The catalogue of ledgers: which there are, in D1. `ledger` keeps it; a pipeline of `exporters` exists as long as its ledger does. */
export { forgetGoneSizes } from "./gone-sizes.ts";
export type { Ledger } from "./ledger.ts";
export { BUCKET_DEFAULT, type NewLedger, toLedgerInfo } from "./new-ledger.ts";
export { LEDGER_LIST_OPTIONS, LedgerCatalogue, unknownLedger } from "./store.ts";
export { ledgers } from "./tables.ts";

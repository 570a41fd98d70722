/** The catalogue of ledgers, as the exporters use it: a pipeline exists as long as its ledger does. */
export { LedgerCatalogue } from "./store.ts";
export { ledgers } from "./tables.ts";

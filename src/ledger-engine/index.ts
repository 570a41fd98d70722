/**
 * One ledger on a synchronous SQL interface. It knows neither Worker nor HTTP, and runs in workerd and in Node. Other
 * rooms import only the names of this file. Its folders, each of which may use those below it:
 *
 *     audit      rebuilds a ledger from its log and compares all tables
 *     engine.ts  one ledger: units of work around writes, and the reads
 *     write      decides commands, builds log entries, appends them
 *     read       lists, counts, volumes and balances, by index scans
 *     storage    tables and their rows, caches, waiting rows
 *     requests   parses requests of clients to commands
 *     rules      pure: postings, scripts, filters, schemas, mementos, limits
 */
export {
  type AuditAnswer,
  type AuditReport,
  type AuditRequest,
  type AuditSteps,
  LedgerAudit,
  answerAudit,
  AUDIT_STEPS,
  parseProgress,
} from "./audit/audit.ts";
export { LedgerEngine } from "./engine.ts";
export { type EngineSettings } from "./engine-settings.ts";
export { LedgerReads, type ReadName } from "./read/ledger-reads.ts";
export { type LogOrigins } from "./read/logs/log-origins.ts";
export { type Steps } from "./read/scan/steps.ts";
export {
  assertIdempotencyKey,
  parseBulk,
  parseBulkElement,
  toBulkElement,
  toInsertSchema,
  toRevertTransaction,
  toTransactionCommand,
} from "./requests/commands.ts";
export { readPlainTransaction } from "./requests/plain-transactions.ts";
export {
  BulkElementData,
  BulkElementRequest,
  MetadataOfAccountRequest,
  RevertRequest,
  RuntimeRequest,
  TransactionRequest,
} from "./requests/write-requests.ts";
export { LEDGER_ERRORS, ledgerErrors } from "./rules/errors.ts";
export {
  addressMatcher,
  type AddressPattern,
  exactAddress,
  parseAddressPattern,
} from "./rules/filters/address-pattern.ts";
export { parseFeatures } from "./rules/features.ts";
export { type FilteredResource, parseLedgerFilter } from "./rules/filters/filters.ts";
export {
  AMOUNT_DIGITS_MAX,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  METADATA_BYTES_MAX,
  assertMetadata,
} from "./rules/limits.ts";
export {
  ADDRESS_LENGTH_MAX,
  assertLedgerName,
  isBucketName,
  isLedgerName,
  parseAccount,
} from "./rules/names.ts";
export { INTERVALS_MAX, INTERVALS_STANDARD, type Interval, parseInterval } from "./rules/period.ts";
export {
  type AccountSegment,
  type LedgerActivity,
  type ActivityQuery,
  type AssetBalance,
  type BalanceHistoryQuery,
  type BalanceInterval,
  type BalancesQuery,
  type CountPart,
  type CountQuery,
  type AuthorChange,
  type LedgerCounts,
  type LedgerHead,
  type LogListEntry,
  type LogTextPage,
  type SingleRead,
  type SubtreeQuery,
  type SubtreeSum,
  toExpansion,
  type VolumeExpansion,
  type VolumeListOptions,
  type VolumeRow,
} from "./rules/reads.ts";
export {
  type LedgerSchema,
  type SchemaJson,
  parseStoredSchema,
  queryTemplateOf,
  renderStoredSchema,
  showSchema,
} from "./rules/schemas/ledger-schema.ts";
export {
  type QueryParams,
  type QueryRequest,
  type QueryResource,
  type QueryTemplate,
  resolveQuery,
} from "./rules/schemas/queries.ts";
export {
  type AccountMetadata,
  type AccountRecord,
  type Command,
  type Features,
  type LedgerInfo,
  type LoggedAccountMetadata,
  type LogData,
  type LogEntry,
  type EntryHead,
  type Metadata,
  type StoredSchema,
  type MetadataTarget,
  type Transaction,
} from "./rules/types.ts";
export { toLogText } from "./rules/log/log-text.ts";
export { accountText, asInteger, asText, transactionText } from "./rules/texts.ts";
export type { AmountWriter } from "./rules/volume-texts.ts";
export {
  type ImportNote,
  NONE_NOTED,
  type NotedEntries,
  withNoted,
} from "./rules/log/import-notes.ts";
export { REVERTS_KEY, withoutNulls } from "./rules/metadata.ts";
export {
  type AccountView,
  byKey,
  sortedByKey,
  toAccountView,
  toTransactionView,
  type TransactionView,
} from "./rules/views.ts";
export {
  type Author,
  type BulkElement,
  type BulkOptions,
  type CommittedTransaction,
  type Outcome,
  type WriteOptions,
} from "./rules/writes.ts";
export { type CausationDepths } from "./storage/causation.ts";
export { type DeletionChange, applyDeletion, isDeleted, storedUuid } from "./storage/deletion.ts";
export {
  type OriginFacts,
  type RestoredMarks,
  forgetImportNotes,
  restoreMarks,
  restoreOrigins,
} from "./storage/log/restored-origins.ts";
export {
  type MigrationStep,
  STEP_LAST,
  type TablesState,
  isCreated,
  isCurrent,
  migrate,
  migrateSlice,
  migrateToEnd,
  readMigrations,
} from "./storage/migrations.ts";
export { type ImportBatch, type ImportOutcome } from "./write/log-importer.ts";

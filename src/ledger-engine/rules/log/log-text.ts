import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import { renderStoredSchema } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import {
  accountMetadataText,
  asInteger,
  loggedMetadataText,
  transactionText,
} from "#ledger-engine/rules/texts.ts";
import type { LogData, MetadataTarget } from "#ledger-engine/rules/types.ts";
import type { AmountWriter, ShownVolumes } from "#ledger-engine/rules/volume-texts.ts";
import { type JsonText, quoteJson, stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

/**
 * Writes a log entry as JSON: the text of an item of a list, and a line of an export. `volumes` are those of a new transaction, where
 * they are written already.
 */
export function toLogText(
  entry: LogListEntry,
  write: AmountWriter = asInteger,
  volumes?: ShownVolumes,
): JsonText<unknown> {
  const { id, date, data, idempotencyKey, idempotencyHash, hash, schemaVersion } = entry;
  const keyText = idempotencyKey === "" ? '""' : quoteJson(idempotencyKey);
  const versionText =
    schemaVersion === undefined ? "" : `,"schemaVersion":${quoteJson(schemaVersion)}`;
  return `{"type":"${data.type}","data":${dataText(data, write, volumes)},"date":"${formatTimestamp(date)}","idempotencyKey":${keyText},"idempotencyHash":"${idempotencyHash}","id":${id},"hash":"${hash}"${versionText}}` as JsonText<unknown>; // of the members above
}

function dataText(data: LogData, write: AmountWriter, volumes?: ShownVolumes): string {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return `{"transaction":${transactionText(data.transaction, write, volumes)},"accountMetadata":${accountMetadataText(data.accountMetadata)}}`;
    case "REVERTED_TRANSACTION":
      return `{"revertedTransaction":${transactionText(data.revertedTransaction, write)},"transaction":${transactionText(data.transaction, write)}}`;
    case "SET_METADATA":
      return `{${targetText(data.target)},"metadata":${loggedMetadataText(data.metadata)}}`;
    case "DELETE_METADATA":
      return `{${targetText(data.target)},"key":${quoteJson(data.key)}}`;
    case "INSERTED_SCHEMA":
      return `{"schema":${stringifyJson(renderStoredSchema(data.schema))}}`;
  }
}

const targetText = ({ type, id }: MetadataTarget): string =>
  `"targetType":"${type}","targetId":${type === "ACCOUNT" ? quoteJson(id) : id}`;

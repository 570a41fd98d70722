import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import {
  renderStoredSchema,
  toExportedSchema,
} from "#ledger-engine/rules/schemas/ledger-schema.ts";
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

/** Writes a log entry as an item of a list, in JSON. */
export const toLogText = (
  entry: LogListEntry,
  write: AmountWriter = asInteger,
): JsonText<unknown> => entryText(entry, dataText(entry.data, write));

/**
 * Writes a log entry as the line of an export, in the form of Formance Ledger v2, but without the escapes of `withEscapes`. `volumes`
 * are the volumes of a new transaction, if they are written already.
 */
export const toLogLine = (entry: LogListEntry, volumes?: ShownVolumes): JsonText<unknown> =>
  entryText(
    entry,
    entry.data.type === "INSERTED_SCHEMA"
      ? `{"schema":${toExportedSchema(entry.data.schema)}}`
      : dataText(entry.data, asInteger, volumes),
  );

/** Adds the escapes of Go's encoder to lines of JSON: `<`, `>`, `&`, U+2028 and U+2029, which could be markup in a page. */
export const withEscapes = (lines: string): string =>
  MARKUP.test(lines)
    ? lines.replaceAll(
        MARKUP_ALL,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : lines;

/** In JSON, these characters can occur only within texts. */
const MARKUP = /[<>&\u2028\u2029]/;
const MARKUP_ALL = new RegExp(MARKUP, "g");

function entryText(entry: LogListEntry, data: string): JsonText<unknown> {
  const { id, date, idempotencyKey, idempotencyHash, hash, schemaVersion } = entry;
  const keyText = idempotencyKey === "" ? '""' : quoteJson(idempotencyKey);
  const versionText =
    schemaVersion === undefined ? "" : `,"schemaVersion":${quoteJson(schemaVersion)}`;
  return `{"type":"${entry.data.type}","data":${data},"date":"${formatTimestamp(date)}","idempotencyKey":${keyText},"idempotencyHash":"${idempotencyHash}","id":${id},"hash":"${hash}"${versionText}}` as JsonText<unknown>; // the text above
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

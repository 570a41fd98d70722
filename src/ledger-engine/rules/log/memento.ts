import { canonicalMap, canonicalMetadata, canonicalText } from "#ledger-engine/rules/canonical.ts";
import { toSchemaMemento } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import type { LogData, LogEntry, MetadataTarget, Transaction } from "#ledger-engine/rules/types.ts";
import { formatTimestamp } from "#platform/time.ts";

/**
 * The memento of a log entry: the text that the hash chain covers, in the form of Formance Ledger v2. `LogWriter` computes
 * the chain.
 */
export function toMemento({ data, date, idempotencyKey }: Omit<LogEntry, "id">): string {
  // The key is not escaped and the id is 0. The hashes of existing logs depend on both quirks.
  return `{"type":"${data.type}","data":${dataText(data)},"date":"${formatTimestamp(date)}","idempotencyKey":"${idempotencyKey}","id":0,"hash":null}`;
}

function dataText(data: LogData): string {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return `{"transaction":${transactionText(data.transaction)},"accountMetadata":${canonicalMap(data.accountMetadata, canonicalMetadata)}}`;
    case "REVERTED_TRANSACTION":
      return `{"revertedTransactionID":${data.revertedTransaction.id},"transaction":${transactionText(data.transaction)}}`;
    case "SET_METADATA":
      return `{${targetText(data.target)},"metadata":${canonicalMetadata(data.metadata)}}`;
    case "DELETE_METADATA":
      return `{${targetText(data.target)},"key":${canonicalText(data.key)}}`;
    case "INSERTED_SCHEMA":
      return `{"schema":${toSchemaMemento(data.schema.text, data.schema)}}`;
  }
}

function transactionText({ postings, metadata, timestamp, reference, id }: Transaction): string {
  let list = "";
  for (const { source, destination, amount, asset } of postings) {
    if (list !== "") list += ",";
    list += `{"source":"${source}","destination":"${destination}","amount":${amount},"asset":"${asset}"}`;
  }
  const referenceText = reference === undefined ? "" : `"reference":${canonicalText(reference)},`;
  return `{"postings":[${list}],"metadata":${canonicalMetadata(metadata)},"timestamp":"${formatTimestamp(timestamp)}",${referenceText}"id":${id},"reverted":false}`;
}

function targetText(target: MetadataTarget): string {
  const id = target.type === "ACCOUNT" ? canonicalText(target.id) : target.id.toString();
  return `"targetType":"${target.type}","targetId":${id}`;
}

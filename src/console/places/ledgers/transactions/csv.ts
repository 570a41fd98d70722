import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { parseAsset, toDecimal } from "#console/parts/money/asset.ts";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { stringifyJson } from "#platform/json.ts";

/** A posting with its transaction: a line of the file. */
interface PostingLine {
  readonly transaction: Transaction;
  readonly posting: Transaction["postings"][number] | undefined;
}

/** The columns of a file of transactions. Names are those of the API, so that programs find them in every language. */
export const transactionCsv: readonly CsvColumn<PostingLine>[] = [
  ["id", ({ transaction }) => transaction.id],
  ["timestamp", ({ transaction }) => transaction.timestamp],
  ["insertedAt", ({ transaction }) => transaction.insertedAt],
  ["reference", ({ transaction }) => transaction.reference],
  ["source", ({ posting }) => posting?.source],
  ["destination", ({ posting }) => posting?.destination],
  ["asset", ({ posting }) => posting?.asset],
  ["amount", ({ posting }) => posting?.amount],
  ["decimal", ({ posting }) => posting && toDecimal(posting.amount, parseAsset(posting.asset))],
  ["reverted", ({ transaction }) => transaction.reverted],
  ["metadata", ({ transaction }) => stringifyJson(transaction.metadata)],
];

/** A line for each posting; one line for a transaction that moves nothing. */
export const postingLines = (transaction: Transaction): readonly PostingLine[] =>
  transaction.postings.length === 0
    ? [{ transaction, posting: undefined }]
    : transaction.postings.map((posting) => ({ transaction, posting }));

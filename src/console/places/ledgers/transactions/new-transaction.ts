import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { locale } from "#console/parts/language/words.ts";
import { parseAmount } from "#console/parts/money/parse-amount.ts";
import type { Transaction } from "#console/places/ledgers/queries.ts";

/** A line of the form: texts, as they were typed. */
export interface PostingDraft {
  readonly id: string;
  readonly source: string;
  readonly destination: string;
  readonly asset: string;
  readonly amount: string;
}

export interface MetadataDraft {
  readonly id: string;
  readonly name: string;
  readonly value: string;
}

/** The form of a new transaction, as it was typed. */
export interface TransactionDraft {
  readonly postings: readonly PostingDraft[];
  readonly reference: string;
  /** The effective date in the viewer's zone; empty for now. */
  readonly timestamp: string;
  readonly metadata: readonly MetadataDraft[];
}

export const emptyPosting = (asset = ""): PostingDraft => ({
  id: crypto.randomUUID(),
  source: "",
  destination: "",
  asset,
  amount: "",
});

export const emptyMetadata = (): MetadataDraft => ({
  id: crypto.randomUUID(),
  name: "",
  value: "",
});

export const emptyDraft = (): TransactionDraft => ({
  postings: [emptyPosting()],
  reference: "",
  timestamp: "",
  metadata: [],
});

/** The amount of a line; undefined if the text is none of the asset. */
export const amountOf = ({ amount, asset }: PostingDraft): bigint | undefined =>
  parseAmount(amount, asset, locale);

/** The request of a draft whose fields fit. */
export const bodyOf = ({ postings, reference, timestamp, metadata }: TransactionDraft) => ({
  postings: postings.map((line) => ({
    source: line.source.trim(),
    destination: line.destination.trim(),
    asset: line.asset.trim(),
    amount: amountOf(line) ?? 0n,
  })),
  metadata: Object.fromEntries(metadata.map(({ name, value }) => [name.trim(), value])),
  ...(reference.trim() === "" ? {} : { reference: reference.trim() }),
  ...(timestamp === "" ? {} : { timestamp: new Date(timestamp).toISOString() }),
});

/** Writes a transaction, or says what it would do. */
export async function sendTransaction(
  { ledger, isDryRun }: { readonly ledger: string; readonly isDryRun: boolean },
  draft: TransactionDraft,
  call: WriteCall,
): Promise<Transaction> {
  const answer = await florin.post(
    "/api/ledger/v2/{ledger}/transactions",
    { path: { ledger }, query: isDryRun ? { dryRun: true } : {}, body: bodyOf(draft) },
    isDryRun ? call.withKey(undefined) : call,
  );
  return answer.data;
}

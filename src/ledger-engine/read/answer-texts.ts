import type { LedgerReads, ReadName } from "./ledger-reads.ts";
import { toLogText } from "#ledger-engine/rules/log/log-text.ts";
import { accountText, asInteger, asText, transactionText } from "#ledger-engine/rules/texts.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import type { TransactionView } from "#ledger-engine/rules/views.ts";
import type { AmountWriter } from "#ledger-engine/rules/volume-texts.ts";
import type { Outcome } from "#ledger-engine/rules/writes.ts";
import type { ItemsText, JsonText } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";

/** A page with its items as one text, which crosses to the Worker in a fraction of the time of many objects. */
function writtenPage<T, V>(page: Page<T>, write: (item: T) => JsonText<V>): Page<ItemsText<V>> {
  const data = page.data.length === 0 ? [] : [page.data.map(write).join(",") as ItemsText<V>]; // joined items
  return { ...page, data };
}

/** Write the results of reads as JSON. A page keeps its cursors. */
const WRITERS = {
  findTransaction: (found, write) =>
    found === undefined ? undefined : transactionText(found, write),
  listTransactions: (page, write) => writtenPage(page, (item) => transactionText(item, write)),
  findAccount: (found, write) => (found === undefined ? undefined : accountText(found, write)),
  listAccounts: (page, write) => writtenPage(page, (item) => accountText(item, write)),
  listLogs: (page, write) => writtenPage(page, (entry) => toLogText(entry, write)),
} as const satisfies {
  [N in ReadName]?: (found: ReturnType<LedgerReads[N]>, write: AmountWriter) => unknown;
};

/** A read whose result can be written as JSON. */
export type WrittenRead = keyof typeof WRITERS;
/** The written result of a read. */
export type Written<N extends WrittenRead> = ReturnType<(typeof WRITERS)[N]>;

/** The form of amounts: integers, or texts for clients that cannot read large integers. */
export type AmountForm = "integer" | "text";

const WRITER_OF: Readonly<Record<AmountForm, AmountWriter>> = { integer: asInteger, text: asText };

/** The outcome of a write, with its transaction as JSON. */
export interface WrittenOutcome extends Omit<Outcome, "transaction"> {
  readonly transaction?: JsonText<TransactionView>;
}

export function writeOutcome(
  { transaction, ...outcome }: Outcome,
  amounts: AmountForm,
): WrittenOutcome {
  if (transaction === undefined) return outcome;
  return { ...outcome, transaction: writeTransaction(transaction, amounts) };
}

/** The JSON of a transaction; events have amounts as integers. */
export const writeTransaction = (
  transaction: Transaction,
  amounts: AmountForm = "integer",
): JsonText<TransactionView> => transactionText(transaction, WRITER_OF[amounts]);

/** The result of the read `name` as JSON. */
export function writeAnswer(name: ReadName, found: unknown, amounts: AmountForm): unknown {
  if (!Object.hasOwn(WRITERS, name)) throw new Error(`the answer of ${name} cannot be written`);
  const write = WRITERS[name as WrittenRead] as (found: unknown, write: AmountWriter) => unknown; // checked on the line before
  return write(found, WRITER_OF[amounts]);
}

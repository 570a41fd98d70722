import { Balances } from "./balances.tsx";
import { MoneyGraph } from "#console/parts/graphs/money-graph.tsx";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** What a transaction would do: the answer of its dry run. */
export const Preview = ({
  ledger,
  transaction,
}: {
  readonly ledger: string;
  readonly transaction: Transaction;
}) => (
  <div className="space-y-3 rounded-md border border-line p-4 max-sm:p-3">
    <p className="text-note text-muted">{ledgerWords().preview}</p>
    <MoneyGraph postings={transaction.postings} />
    <Balances ledger={ledger} transaction={transaction} />
  </div>
);

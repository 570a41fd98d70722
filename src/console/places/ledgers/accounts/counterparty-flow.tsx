import { useMemo } from "react";
import { addTransactions, type Counterparties, inAsset, NOBODY } from "./counterparties.ts";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { MoneyGraph } from "#console/parts/graphs/money-graph.tsx";
import { type PageSum, usePageSum } from "#console/parts/table/use-page-sum.ts";
import { transactionFilter } from "#console/places/ledgers/filters.ts";
import { type Transaction, transactionsQuery } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** Where an account's money came from and where it went, summed over its transactions page by page. Another account needs another `key`. */
export function CounterpartyFlow({
  ledger,
  address,
  asset,
}: {
  readonly ledger: string;
  readonly address: string;
  readonly asset: string;
}) {
  const words = ledgerWords().flow;
  const source = useMemo(() => sumsOf(ledger, address), [ledger, address]);
  const { sum: sums, isReading, isComplete, error, readOn, stop } = usePageSum(source);
  const postings = useMemo(() => inAsset(sums, asset), [sums, asset]);
  const count = formatCount(sums.transactions);
  return (
    <Section
      title={words.title}
      actions={
        !isComplete &&
        sums.transactions > 0 && (
          <Button kind="quiet" onClick={isReading ? stop : readOn}>
            {isReading ? words.stop : words.more}
          </Button>
        )
      }
    >
      {sums.transactions === 0 && isReading && <LoadingRows rows={2} />}
      {postings.length > 0 && <MoneyGraph postings={postings} center={address} />}
      <p role="status" className="mt-1 text-note text-muted">
        {sums.transactions > 0 && (isComplete ? words.complete(count) : words.soFar(count))}
      </p>
      {error !== undefined && <Failure error={error} retry={readOn} />}
    </Section>
  );
}

/** The sums of an account, of which two pages are read at once, and forty by a click. */
const sumsOf = (ledger: string, address: string): PageSum<Transaction, Counterparties> => ({
  readPage: transactionsQuery(ledger, transactionFilter({ account: address })).readPage,
  start: NOBODY,
  add: (sums, rows) => addTransactions(sums, rows, address),
  pages: { first: 2, more: 40 },
});

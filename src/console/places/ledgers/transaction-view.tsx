import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { AccountLink } from "./account-link.tsx";
import { EditableMetadata } from "./edit-metadata.tsx";
import { type Transaction, transactionQuery } from "./queries.ts";
import { Balances } from "./transactions/balances.tsx";
import { useLiveTransaction } from "./transactions/live.ts";
import { EntryOf } from "./transactions/log-entry.tsx";
import { Related } from "./transactions/related.tsx";
import { Revert } from "./transactions/revert.tsx";
import { ledgerWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { MoneyGraph } from "#console/parts/graphs/money-graph.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

const METADATA = "/api/ledger/v2/{ledger}/transactions/{id}/metadata";

/** A transaction: who to whom, when, and what it did to each account. */
export function TransactionView({ ledger, id }: { readonly ledger: string; readonly id: string }) {
  const { data, error, refetch } = useQuery(transactionQuery(ledger, id));
  useLiveTransaction(ledger, id);
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={4} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  return <Details ledger={ledger} transaction={data} />;
}

function Details({
  ledger,
  transaction,
}: {
  readonly ledger: string;
  readonly transaction: Transaction;
}) {
  const words = ledgerWords().detail;
  const path = { ledger, id: String(transaction.id) };
  const { reference, template, timestamp, insertedAt, revertedAt, metadata } = transaction;
  return (
    <>
      <Section
        title={words.movements}
        actions={<Revert ledger={ledger} transaction={transaction} />}
      >
        {transaction.postings.length > 0 && (
          <div className="mb-4">
            <MoneyGraph postings={transaction.postings} />
          </div>
        )}
        <Movements ledger={ledger} transaction={transaction} />
      </Section>
      <div className="mt-6">
        <Facts>
          <Fact name={words.effective}>
            <Moment at={timestamp} isWhole />
          </Fact>
          <Fact name={words.recorded}>
            <Moment at={insertedAt} isWhole />
          </Fact>
          {revertedAt !== undefined && (
            <Fact name={words.revertedAt}>
              <span className="inline-flex items-center gap-2">
                <Status tone="warn">{ledgerWords().reverted}</Status>
                <Moment at={revertedAt} isWhole />
              </span>
            </Fact>
          )}
          {reference !== undefined && (
            <Fact name={words.reference}>
              <span className="inline-flex items-center gap-1">
                <Foreign>{reference}</Foreign>
                <CopyButton value={reference} what={words.reference} />
              </span>
            </Fact>
          )}
          {template !== undefined && (
            <Fact name={words.template}>
              <Foreign>{template}</Foreign>
            </Fact>
          )}
        </Facts>
      </div>
      {transaction.postings.length > 0 && (
        <Section title={words.balances}>
          <Balances ledger={ledger} transaction={transaction} />
        </Section>
      )}
      <EditableMetadata
        ledger={ledger}
        metadata={metadata}
        save={(body, call) => florin.post(METADATA, { path, body }, call)}
        remove={(key, call) => florin.delete(`${METADATA}/{key}`, { path: { ...path, key } }, call)}
      />
      <Related ledger={ledger} transaction={transaction} />
      <EntryOf ledger={ledger} transaction={transaction} />
    </>
  );
}

function Movements({
  ledger,
  transaction: { postings },
}: {
  readonly ledger: string;
  readonly transaction: Transaction;
}) {
  if (postings.length === 0) return <p className="text-muted">{ledgerWords().zeroAmount}</p>;
  return (
    <ol className="divide-y divide-line rounded-md border border-line">
      {numbered(postings).map(({ place, source, destination, amount, asset }) => (
        <li key={place} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
            <AccountLink ledger={ledger} address={source} />
            <ArrowRight
              aria-label={ledgerWords().columns.to}
              size={13}
              className="shrink-0 text-faint"
            />
            <AccountLink ledger={ledger} address={destination} />
          </span>
          <span className="font-medium">
            <Money amount={amount} asset={asset} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Postings with their places, which are their only names. */
const numbered = (postings: Transaction["postings"]) =>
  postings.map((posting, place) => ({ ...posting, place }));

import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { bookedQuery, bookingLedgersQuery, type BookedTransaction } from "./queries.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** The transactions that book a payment, in each ledger that has a booking. */
export function Booked({ paymentId }: { readonly paymentId: string }) {
  const words = paymentWords().payments;
  const { data, error } = useQuery(bookingLedgersQuery());
  const ledgers = data ?? [];
  const answers = useQueries({ queries: ledgers.map((ledger) => bookedQuery(ledger, paymentId)) });
  const rows = ledgers.flatMap((ledger, index) =>
    (answers[index]?.data ?? []).map((transaction) => ({ ledger, transaction })),
  );
  const problem = error ?? answers.find((answer) => answer.error !== null)?.error ?? null;
  const isKnown = data !== undefined && answers.every(({ isPending }) => !isPending);
  return (
    <Section title={words.booked}>
      {problem !== null && <Failure error={problem} />}
      {rows.length === 0 ? (
        isKnown && problem === null && <p className="text-muted">{words.notBooked}</p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {rows.map(({ ledger, transaction }) => (
            <Row
              key={`${ledger} ${String(transaction.id)}`}
              ledger={ledger}
              transaction={transaction}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Row({
  ledger,
  transaction: { id, timestamp, postings, metadata },
}: {
  readonly ledger: string;
  readonly transaction: BookedTransaction;
}) {
  const statuses: Readonly<Record<string, string>> = paymentWords().paymentStatus;
  const [posting] = postings;
  const status = metadata["status"] ?? "";
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 px-3 py-2">
      <Link
        to="/ledgers/$ledger/transactions/$id"
        params={{ ledger, id: String(id) }}
        className="text-accent hover:underline"
      >
        {paymentWords().payments.transaction(ledger, String(id))}
      </Link>
      <span className="text-muted">{statuses[status] ?? status}</span>
      <span className="flex items-center gap-4">
        <span className="text-note text-muted">
          <Moment at={timestamp} />
        </span>
        {posting !== undefined && <Money amount={posting.amount} asset={posting.asset} />}
      </span>
    </li>
  );
}

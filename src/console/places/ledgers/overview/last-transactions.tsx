import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { type Transaction, transactionsQuery } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

const SHOWN = 8;

/** The last transactions of a ledger, each a link to its page. */
export function LastTransactions({
  ledger,
  at,
}: {
  readonly ledger: string;
  readonly at: string | undefined;
}) {
  const { data, error, refetch } = useInfiniteQuery({
    ...transactionsQuery(ledger, undefined, at),
    placeholderData: (before) => before,
  });
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={SHOWN} />;
  const rows = data.pages[0]?.rows.slice(0, SHOWN) ?? [];
  if (rows.length === 0) return <p className="text-muted">{ledgerWords().noTransactions}</p>;
  return (
    <ul className="divide-y divide-line">
      {rows.map((row) => (
        <li key={String(row.id)}>
          <Link
            to="/ledgers/$ledger/transactions/$id"
            params={{ ledger, id: String(row.id) }}
            className="flex min-h-9 items-center gap-3 rounded-sm hover:bg-hover max-sm:flex-wrap max-sm:gap-y-0.5 max-sm:py-2 pointer-coarse:min-h-11"
          >
            <Way row={row} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** When, from whom to whom, and how much; on a phone, the accounts are a line of their own above the rest. */
function Way({ row: { postings, timestamp } }: { readonly row: Transaction }) {
  const [first, ...others] = postings;
  return (
    <>
      <span className="w-28 shrink-0 text-note text-muted">
        <Moment at={timestamp} />
      </span>
      {first === undefined ? (
        <span className="text-faint">{ledgerWords().zeroAmount}</span>
      ) : (
        <>
          <span
            className="foreign min-w-0 flex-1 truncate font-mono text-note max-sm:order-first max-sm:basis-full"
            title={`${first.source} → ${first.destination}`}
          >
            {first.source} <span className="text-faint">→</span> {first.destination}
          </span>
          <span className="flex max-w-1/2 min-w-0 items-baseline gap-3 max-sm:ml-auto max-sm:max-w-2/3">
            {others.length > 0 && <span className="text-note text-faint">+{others.length}</span>}
            <span className="truncate">
              <Money amount={first.amount} asset={first.asset} />
            </span>
          </span>
        </>
      )}
    </>
  );
}

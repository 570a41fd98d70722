import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { levelQuery } from "#console/places/ledgers/tree/queries.ts";
import { SumCell } from "#console/places/ledgers/tree/sum-cell.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";

const SHOWN = 8;

/** Where the money of a ledger is: the first segments of its addresses, with the sums below them. */
export function Holders({
  ledger,
  at,
  asset,
}: {
  readonly ledger: string;
  readonly at: string | undefined;
  /** The asset whose sums are shown; undefined for the first one of each segment. */
  readonly asset: string | undefined;
}) {
  const words = ledgerWords();
  const { data, error, refetch, hasNextPage } = useInfiniteQuery({
    ...levelQuery(ledger, "", at),
    placeholderData: (before) => before,
  });
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={SHOWN} />;
  const segments = data.pages[0]?.rows ?? [];
  if (segments.length === 0) return <p className="text-muted">{words.noAccounts}</p>;
  const isMore = hasNextPage || segments.length > SHOWN;
  return (
    <ul className="divide-y divide-line">
      {segments.slice(0, SHOWN).map(({ address, hasChildren }) => (
        <li key={address}>
          <Link
            {...(hasChildren
              ? { to: "/ledgers/$ledger/tree", params: { ledger }, search: { open: address } }
              : { to: "/ledgers/$ledger/accounts/$address", params: { ledger, address } })}
            className="flex min-h-9 items-center justify-between gap-4 rounded-sm hover:bg-hover pointer-coarse:min-h-11"
          >
            <span className="foreign truncate font-mono text-note">
              {address}
              {hasChildren && <span className="text-faint">:…</span>}
            </span>
            <SumCell ledger={ledger} address={address} at={at} asset={asset} />
          </Link>
        </li>
      ))}
      {isMore && (
        <li className="flex min-h-9 items-center text-muted">{words.overview.moreSegments}</li>
      )}
    </ul>
  );
}

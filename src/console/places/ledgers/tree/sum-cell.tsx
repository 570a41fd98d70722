import { useQuery } from "@tanstack/react-query";
import { type Sum, sumQuery } from "./queries.ts";
import { Status } from "#console/parts/base/status.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import type { Integer } from "#openapi";

interface SumProps {
  readonly ledger: string;
  readonly address: string;
  readonly at: string | undefined;
  /** The asset that is shown; undefined for the first one whose sum is not zero. */
  readonly asset: string | undefined;
}

/** The sum below a segment. It says "so far" until all accounts are in it. */
export function SumCell({ ledger, address, at, asset }: SumProps) {
  const { data, error } = useQuery(sumQuery(ledger, address, at));
  if (error !== null) return <Unknown error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <span className="flex min-w-0 items-baseline justify-end gap-1.5">
      <SoFar sum={data} />
      <Amount balances={data.balances} asset={asset} />
    </span>
  );
}

/** What came to the sum from one moment to another. */
export function DifferenceCell({
  ledger,
  address,
  at,
  compare,
  asset,
}: SumProps & { readonly compare: string }) {
  const now = useQuery(sumQuery(ledger, address, at)).data;
  const before = useQuery(sumQuery(ledger, address, compare)).data;
  if (now?.complete !== true || before?.complete !== true) return <Waiting />;
  return <Amount balances={differenceOf(now.balances, before.balances)} asset={asset} />;
}

/** The balances of a moment without those of an earlier one, asset by asset. */
export function differenceOf(
  now: Readonly<Record<string, Integer>>,
  before: Readonly<Record<string, Integer>>,
): Record<string, bigint> {
  const assets = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
  return Object.fromEntries(
    assets.map((asset) => [asset, BigInt(now[asset] ?? 0) - BigInt(before[asset] ?? 0)] as const),
  );
}

function Amount({
  balances,
  asset,
}: {
  readonly balances: Readonly<Record<string, Integer>>;
  readonly asset: string | undefined;
}) {
  const entries = Object.entries(balances);
  const first =
    asset === undefined
      ? (entries.find(([, sum]) => BigInt(sum) !== 0n) ?? entries[0])
      : entries.find(([name]) => name === asset);
  if (first === undefined) return <span className="text-faint">–</span>;
  const others = asset === undefined ? entries.filter(([name]) => name !== first[0]) : [];
  const more = ledgerWords().more(String(others.length));
  return (
    <span className="flex min-w-0 items-baseline justify-end gap-1.5">
      {others.length > 0 && (
        <span className="shrink-0 text-note text-faint" title={more}>
          +{others.length}
        </span>
      )}
      <span className="truncate">
        <Money amount={first[1]} asset={first[0]} />
      </span>
    </span>
  );
}

function SoFar({ sum: { complete, progress } }: { readonly sum: Sum }) {
  const words = ledgerWords().tree;
  if (complete) return null;
  const percent =
    progress === undefined || progress.total === 0
      ? 0
      : Math.floor((progress.accounts / progress.total) * 100);
  return <span className="text-note text-muted">{words.soFar(String(percent))}</span>;
}

const Waiting = () => <span className="inline-block h-2.5 w-16 rounded bg-hover" aria-hidden />;

const Unknown = ({ error }: { readonly error: Error }) => (
  <span title={error.message}>
    <Status tone="bad">{ledgerWords().tree.noSum}</Status>
  </span>
);

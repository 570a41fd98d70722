import { formatCount } from "#console/parts/base/count.ts";
import { Money } from "#console/parts/money/money.tsx";
import type { ClearingReport } from "#console/places/reconciliation/queries/clearing.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

type Bucket = ClearingReport["buckets"][number];

/** The least width of the bar of a bucket that has items, in per cent. */
const LEAST_PERCENT = 1;

/** The open items by age: for each asset a list of bars, as long as the amounts, from the youngest to the oldest. */
export function Ageing({ report: { buckets } }: { readonly report: ClearingReport }) {
  const assets = [...new Set(buckets.map(({ asset }) => asset))];
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      {assets.map((asset) => (
        <AssetBars key={asset} asset={asset} buckets={bucketsOf(buckets, asset)} />
      ))}
    </div>
  );
}

/** The buckets of an asset, the youngest first. */
const bucketsOf = (buckets: readonly Bucket[], asset: string): readonly Bucket[] =>
  buckets
    .filter((bucket) => bucket.asset === asset)
    .toSorted((one, other) => one.fromDays - other.fromDays);

function AssetBars({
  asset,
  buckets,
}: {
  readonly asset: string;
  readonly buckets: readonly Bucket[];
}) {
  const words = sourceWords().clearing;
  const largest = buckets.reduce((most, { amount }) => max(most, magnitude(amount)), 0n);
  return (
    <table className="w-full table-fixed">
      <caption className="mb-1 text-left font-mono text-note text-muted">{asset}</caption>
      <thead className="sr-only">
        <tr>
          <th>{words.fields.age}</th>
          <th aria-hidden />
          <th>{words.fields.open}</th>
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ fromDays, toDays, items, amount }) => (
          <tr key={fromDays}>
            <th scope="row" className="w-32 py-1 pr-3 text-left font-normal text-muted">
              {words.days(String(fromDays), toDays === undefined ? "" : String(toDays))}
            </th>
            <td aria-hidden className="py-1">
              <div
                className={`h-4 rounded-sm ${fromDays > 30 ? "bg-warn" : "bg-accent"}`}
                style={{ width: `${items === 0 ? 0 : percentOf(amount, largest)}%` }}
              />
            </td>
            <td className="w-40 py-1 pl-3 text-right" title={words.items(formatCount(items))}>
              <Money amount={amount} asset={asset} />
              <span className="block text-note text-muted">{words.items(formatCount(items))}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const magnitude = (amount: number | bigint): bigint => {
  const value = BigInt(amount);
  return value < 0n ? -value : value;
};

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

const percentOf = (amount: number | bigint, largest: bigint): number =>
  largest === 0n
    ? LEAST_PERCENT
    : Math.max(Number((magnitude(amount) * 1000n) / largest) / 10, LEAST_PERCENT);

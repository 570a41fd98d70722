import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { COUNTS } from "./measure.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { formatAxis } from "#console/parts/charts/axis.ts";
import { ChartedLines } from "#console/parts/charts/charted-lines.tsx";
import { parseAsset } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import {
  accountsQuery,
  activityQuery,
  historyQuery,
  spanQuery,
} from "#console/places/ledgers/queries.ts";
import {
  PERIOD_IDS,
  type Period,
  PERIODS,
  periodSince,
  periodUntil,
} from "#console/places/ledgers/time/periods.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import type { Integer } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

/** The account from which money comes into a ledger, and to which it leaves it. */
const OUTSIDE = "world";

interface Shown {
  readonly startTime: string;
  readonly endTime: string;
  readonly amount: Integer;
}

interface ActivityProps {
  readonly ledger: string;
  readonly at: string | undefined;
  /** The asset that is shown, or `COUNTS`. */
  readonly measure: string;
  readonly onMeasure: (measure: string) => void;
}

/** What moved in a ledger over time: the number of transactions, or the money of an asset that came from outside. */
export function ActivityChart({ ledger, at, measure, onMeasure }: ActivityProps) {
  const words = ledgerWords();
  const span = useQuery(spanQuery(ledger));
  const [chosen, setPeriod] = useState<Period>();
  const period = chosen ?? periodSince(span.data?.firstEntryAt);
  const [hovered, setHovered] = useState<number>();
  const time = useMemo(() => periodUntil(period, at), [period, at]);
  const { intervals, error, refetch } = useIntervals(ledger, {
    measure,
    ...time,
    isReady: !span.isPending,
  });
  const scale = measure === COUNTS ? 0 : parseAsset(measure).scale;
  const series = useMemo(
    () => ({
      times: evenTimes(intervals.map(({ startTime }) => Date.parse(startTime) / 1000)),
      values: intervals.map(({ amount }) => Number(amount) / 10 ** scale),
    }),
    [intervals, scale],
  );
  const sum = intervals.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const point = hovered === undefined ? undefined : intervals[hovered];
  const show = (amount: Integer) =>
    measure === COUNTS ? (
      words.overview.count(formatCount(amount))
    ) : (
      <Money amount={amount} asset={measure} />
    );
  return (
    <>
      <Head
        ledger={ledger}
        period={period}
        onPeriod={setPeriod}
        measure={measure}
        onMeasure={onMeasure}
      />
      <p className="mb-1 h-5 text-note text-muted">
        {point === undefined ? (
          <>
            {intervals.length === 0 ? "…" : show(sum)} · {words.account.period[period]}
          </>
        ) : (
          <>
            <Moment at={point.startTime} /> – <Moment at={point.endTime} /> · {show(point.amount)}
          </>
        )}
      </p>
      {error !== null && <Failure error={error} retry={refetch} />}
      {intervals.length > 0 && (
        <ChartedLines
          shape="bars"
          series={series}
          label={words.overview.activity}
          format={formatAxis}
          onHover={setHovered}
        />
      )}
    </>
  );
}

/** Times of bars of one width: the first interval may be shorter than the others. */
function evenTimes(times: readonly number[]): readonly number[] {
  const [first, second, third, ...others] = times;
  if (first === undefined || second === undefined || third === undefined) return times;
  return [second - (third - second), second, third, ...others];
}

/** The title of the chart, with the choice of what it shows. */
function Head({
  ledger,
  period,
  onPeriod,
  measure,
  onMeasure,
}: {
  readonly ledger: string;
  readonly period: Period;
  readonly onPeriod: (period: Period) => void;
  readonly measure: string;
  readonly onMeasure: (measure: string) => void;
}) {
  const words = ledgerWords();
  const assets = useAssets(ledger);
  const measures = [
    [COUNTS, words.transactions] as const,
    ...assets.map((asset) => [asset, words.overview.moneyIn(shortName(asset, assets))] as const),
  ];
  return (
    <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <h2 className="text-section font-semibold">{words.overview.activity}</h2>
      <div className="flex max-w-full flex-wrap gap-x-4 gap-y-1">
        {assets.length > 0 && (
          <div className="max-w-full overflow-x-auto">
            <Choice
              label={words.overview.measure}
              options={measures}
              chosen={measure}
              onChoose={onMeasure}
            />
          </div>
        )}
        <Choice
          label={words.overview.activity}
          options={PERIOD_IDS.map((id) => [id, words.account.period[id]])}
          chosen={period}
          onChoose={onPeriod}
        />
      </div>
    </div>
  );
}

/** The code of an asset, or its whole name where another asset has the same code. */
function shortName(asset: string, all: readonly string[]): string {
  const { code } = parseAsset(asset);
  const isOnly = all.filter((other) => parseAsset(other).code === code).length === 1;
  return isOnly ? code : asset;
}

const NONE: readonly Shown[] = [];

/** The intervals of the chart: what was counted, or what the outside sent of the asset. */
function useIntervals(
  ledger: string,
  {
    measure,
    period,
    startTime,
    endTime,
    isReady,
  }: ReturnType<typeof periodUntil> & {
    readonly measure: string;
    /** Whether the period is known. */
    readonly isReady: boolean;
  },
): { intervals: readonly Shown[]; error: Error | null; refetch: () => void } {
  const interval = PERIODS[period].bars;
  const isCounts = measure === COUNTS;
  const counts = useQuery({
    ...activityQuery(ledger, { interval, startTime, endTime }),
    enabled: isReady && isCounts,
  });
  const money = useQuery({
    ...historyQuery(ledger, {
      account: OUTSIDE,
      asset: measure,
      interval,
      startTime,
      endTime,
      insertionDate: false,
    }),
    enabled: isReady && !isCounts,
  });
  const { data: counted } = counts;
  const { data: moved } = money;
  const intervals = useMemo(
    () =>
      isCounts
        ? counted?.intervals.map(({ startTime: start, endTime: end, transactions }) => ({
            startTime: start,
            endTime: end,
            amount: transactions,
          }))
        : moved?.map(({ startTime: start, endTime: end, output }) => ({
            startTime: start,
            endTime: end,
            amount: output,
          })),
    [isCounts, counted, moved],
  );
  const { error, refetch } = isCounts ? counts : money;
  return { intervals: intervals ?? NONE, error, refetch: () => void refetch() };
}

/** The assets that have come from outside. A ledger whose outside has another name offers none. */
function useAssets(ledger: string): readonly string[] {
  const { data } = useInfiniteQuery(accountsQuery(ledger, OUTSIDE_ONLY, undefined));
  return Object.keys(data?.pages[0]?.rows[0]?.volumes ?? {});
}

const OUTSIDE_ONLY = stringifyJson({ $match: { address: OUTSIDE } });

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Balance, balanceHistoryQuery } from "./queries.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { formatAxis } from "#console/parts/charts/axis.ts";
import { ChartedLines } from "#console/parts/charts/charted-lines.tsx";
import { parseAsset } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

const DAY_MS = 24 * 3_600_000;
const PERIODS = ["month", "year", "all"] as const;
type Period = (typeof PERIODS)[number];
const LENGTHS_MS: Readonly<Record<Period, number | undefined>> = {
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
  all: undefined,
};

/** The balance of an account over time, as the provider told it. */
export function BalanceChart({ id, asset }: { readonly id: string; readonly asset: string }) {
  const words = paymentWords().accounts;
  const [{ period, from }, setPeriod] = useState(() => startOf("all"));
  const [hovered, setHovered] = useState<number>();
  const { data, error, refetch } = useQuery(balanceHistoryQuery(id, { asset, from }));
  const points = useMemo(() => toPoints(data ?? []), [data]);
  const series = useMemo(() => toSeries(points, asset), [points, asset]);
  const at = points[hovered ?? points.length - 1];
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="text-section font-semibold">{words.overTime}</h2>
        <Choice
          label={words.overTime}
          options={PERIODS.map((each) => [each, words.period[each]])}
          chosen={period}
          onChoose={(next) => setPeriod(startOf(next))}
        />
      </div>
      <p className="mb-1 h-5 text-note text-muted">
        {at !== undefined && (
          <>
            <Moment at={at.at} /> · <Money amount={at.balance} asset={asset} />
          </>
        )}
      </p>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data !== undefined && points.length < 2 && <p className="text-muted">{words.unchanged}</p>}
      {points.length >= 2 && (
        <ChartedLines
          series={series}
          label={words.overTime}
          format={formatAxis}
          onHover={setHovered}
        />
      )}
    </>
  );
}

/** A period that ends now, and its start. */
function startOf(period: Period): { readonly period: Period; readonly from: string | undefined } {
  const length = LENGTHS_MS[period];
  return {
    period,
    from: length === undefined ? undefined : new Date(Date.now() - length).toISOString(),
  };
}

interface Point extends Pick<Balance, "balance"> {
  readonly at: string;
}

/** The beginnings of all balances, and the time until which the last one is known to hold. */
function toPoints(balances: readonly Balance[]): Point[] {
  const last = balances.at(-1);
  const starts = balances.map(({ createdAt, balance }) => ({ at: createdAt, balance }));
  return last === undefined || last.createdAt === last.lastUpdatedAt
    ? starts
    : [...starts, { at: last.lastUpdatedAt, balance: last.balance }];
}

function toSeries(points: readonly Point[], asset: string) {
  const unit = 10 ** parseAsset(asset).scale;
  return {
    times: points.map(({ at }) => Date.parse(at) / 1000),
    values: points.map(({ balance }) => Number(balance) / unit),
  };
}

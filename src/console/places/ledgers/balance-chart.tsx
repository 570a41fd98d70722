import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { historyQuery } from "./queries.ts";
import { ledgerWords } from "./words.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { LineChart } from "#console/parts/charts/line-chart.tsx";
import { locale } from "#console/parts/language/words.ts";
import { parseAsset } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The periods of the chart: their lengths, and the intervals of which they have some hundred. */
const PERIODS = {
  day: { ms: DAY_MS, interval: "15m" },
  week: { ms: 7 * DAY_MS, interval: "hour" },
  month: { ms: 30 * DAY_MS, interval: "6h" },
  year: { ms: 365 * DAY_MS, interval: "day" },
} as const;

type Period = keyof typeof PERIODS;
const PERIOD_IDS: readonly Period[] = ["day", "week", "month", "year"];
/** The dates by which the chart may order transactions. */
const DATES = ["effectiveDates", "recordedDates"] as const;

/** The balance of an account over time, by effective date or by date of recording. */
export function BalanceChart({
  ledger,
  address,
  asset,
}: {
  readonly ledger: string;
  readonly address: string;
  readonly asset: string;
}) {
  const words = ledgerWords().account;
  const [{ period, startTime }, setPeriod] = useState(() => startOf("month"));
  const [date, setDate] = useState<(typeof DATES)[number]>("effectiveDates");
  const [hovered, setHovered] = useState<number>();
  const { interval } = PERIODS[period];
  const { data, error, refetch } = useQuery(
    historyQuery(ledger, {
      account: address,
      asset,
      interval,
      startTime,
      insertionDate: date === "recordedDates",
    }),
  );
  const series = useMemo(() => toSeries(data ?? [], asset), [data, asset]);
  const format = useCallback((value: number) => AXIS.format(value), []);
  const at = data?.[hovered ?? data.length - 1];
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="text-section font-semibold">{words.balanceOverTime}</h2>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <Choice
            label={words.balanceOverTime}
            options={DATES.map((id) => [id, words[id]])}
            chosen={date}
            onChoose={setDate}
          />
          <Choice
            label={words.balanceOverTime}
            options={PERIOD_IDS.map((id) => [id, words.period[id]])}
            chosen={period}
            onChoose={(next) => setPeriod(startOf(next))}
          />
        </div>
      </div>
      <p className="mb-1 h-5 text-note text-muted">
        {at !== undefined && (
          <>
            <Moment at={at.endTime} /> · <Money amount={at.balance} asset={asset} />
          </>
        )}
      </p>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <LineChart
          series={series}
          label={words.balanceOverTime}
          format={format}
          onHover={setHovered}
        />
      )}
    </>
  );
}

/** A period that ends now, and its start. */
const startOf = (period: Period) => ({
  period,
  startTime: new Date(Date.now() - PERIODS[period].ms).toISOString(),
});

const AXIS = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 });

interface Interval {
  readonly endTime: string;
  readonly balance: number | bigint;
}

function toSeries(intervals: readonly Interval[], asset: string) {
  const unit = 10 ** parseAsset(asset).scale;
  return {
    times: intervals.map(({ endTime }) => Date.parse(endTime) / 1000),
    values: intervals.map(({ balance }) => Number(balance) / unit),
  };
}

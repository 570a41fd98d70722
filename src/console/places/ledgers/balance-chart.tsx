import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { historyQuery } from "./queries.ts";
import { PERIOD_IDS, type Period, PERIODS, periodSince, periodUntil } from "./time/periods.ts";
import { ledgerWords } from "./words.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { formatAxis } from "#console/parts/charts/axis.ts";
import { ChartedLines } from "#console/parts/charts/charted-lines.tsx";
import { parseAsset } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

/** The dates by which the chart may order transactions. */
const DATES = ["effectiveDates", "recordedDates"] as const;

/** The balance of an account over time, by effective date or by date of recording. */
export function BalanceChart({
  ledger,
  address,
  asset,
  at,
  since,
}: {
  readonly ledger: string;
  readonly address: string;
  readonly asset: string;
  /** The end of the chart; undefined for now. */
  readonly at: string | undefined;
  /** The first use of the account, from which on it has balances. */
  readonly since: string | undefined;
}) {
  const words = ledgerWords().account;
  const [period, setPeriod] = useState<Period>(() => periodSince(since));
  const { startTime, endTime } = useMemo(() => periodUntil(period, at), [period, at]);
  const [date, setDate] = useState<(typeof DATES)[number]>("effectiveDates");
  const [hovered, setHovered] = useState<number>();
  const { interval } = PERIODS[period];
  const { data, error, refetch } = useQuery(
    historyQuery(ledger, {
      account: address,
      asset,
      interval,
      startTime,
      endTime,
      insertionDate: date === "recordedDates",
    }),
  );
  const series = useMemo(() => toSeries(data ?? [], asset), [data, asset]);
  const shown = data?.[hovered ?? data.length - 1];
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
            onChoose={setPeriod}
          />
        </div>
      </div>
      <p className="mb-1 h-5 text-note text-muted">
        {shown !== undefined && (
          <>
            <Moment at={shown.endTime} /> · <Money amount={shown.balance} asset={asset} />
          </>
        )}
      </p>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <ChartedLines
          series={series}
          label={words.balanceOverTime}
          format={formatAxis}
          onHover={setHovered}
        />
      )}
    </>
  );
}

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

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { assetsQuery, daysQuery } from "./queries.ts";
import { homeWords } from "./words.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { formatAxis } from "#console/parts/charts/axis.ts";
import { ChartedLines } from "#console/parts/charts/charted-lines.tsx";
import { parseAsset } from "#console/parts/money/asset.ts";
import { Money as Amount } from "#console/parts/money/money.tsx";
import { PathLink } from "#console/parts/routing/path-link.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import type { Integer } from "#openapi";

/** The choice of the number of transactions, beside the assets. */
const COUNTS = "";
/** Assets that are offered. The others are on the ledger's own page. */
const ASSETS_MAX = 4;

/** What moved in a ledger on each of the last days. */
export function Money({ ledgers }: { readonly ledgers: readonly string[] }) {
  const words = homeWords().money;
  const [chosen, setLedger] = useState<string>();
  const [measure, setMeasure] = useState(COUNTS);
  const ledger = ledgers.find((name) => name === chosen) ?? ledgers[0] ?? "";
  const { data: assets = [] } = useQuery(assetsQuery(ledger));
  const asset = assets.includes(measure) ? measure : undefined;
  return (
    <Section title={words.title}>
      <div className="mb-3 flex flex-wrap gap-2">
        {ledgers.length > 1 && (
          <select
            aria-label={words.ledger}
            value={ledger}
            onChange={({ target }) => setLedger(target.value)}
            className="h-[1.875rem] max-w-full rounded-md border border-line bg-canvas px-2 text-note font-medium pointer-coarse:h-11"
          >
            {ledgers.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        {assets.length > 0 && (
          <div className="max-w-full overflow-x-auto">
            <Choice
              label={words.measure}
              options={[
                [COUNTS, words.transactions] as const,
                ...assets
                  .slice(0, ASSETS_MAX)
                  .map((name) => [name, words.into(parseAsset(name).code)] as const),
              ]}
              chosen={asset ?? COUNTS}
              onChoose={setMeasure}
            />
          </div>
        )}
      </div>
      <Days ledger={ledger} asset={asset} />
    </Section>
  );
}

function Days({ ledger, asset }: { readonly ledger: string; readonly asset: string | undefined }) {
  const words = homeWords().money;
  const { data, error, refetch } = useQuery(daysQuery(ledger, asset));
  const [hovered, setHovered] = useState<number>();
  const scale = asset === undefined ? 0 : parseAsset(asset).scale;
  const series = useMemo(
    () => ({
      times: data?.map(({ endTime }) => Date.parse(endTime) / 1000) ?? [],
      values: data?.map(({ amount }) => Number(amount) / 10 ** scale) ?? [],
    }),
    [data, scale],
  );
  if (data === undefined) {
    return error === null ? (
      <div className="h-52" />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  const sum = data.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const point = hovered === undefined ? undefined : data[hovered];
  const show = (amount: Integer) =>
    asset === undefined ? (
      words.count(formatCount(amount))
    ) : (
      <Amount amount={amount} asset={asset} />
    );
  return (
    <>
      <p className="mb-2 text-note text-muted">
        <PathLink
          to={`/ledgers/${encodeURIComponent(ledger)}/transactions`}
          className="font-medium text-text hover:underline"
        >
          {show(point?.amount ?? sum)}
        </PathLink>
        {" · "}
        {point === undefined ? (
          words.days
        ) : (
          <>
            {words.day} <Moment at={point.endTime} />
          </>
        )}
      </p>
      {sum === 0n ? (
        <p className="py-8 text-muted">{words.none}</p>
      ) : (
        <ChartedLines
          series={series}
          shape="bars"
          label={words.title}
          format={formatAxis}
          onHover={setHovered}
        />
      )}
    </>
  );
}

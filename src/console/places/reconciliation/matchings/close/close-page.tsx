import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Printer } from "lucide-react";
import { CloseTable } from "./close-table.tsx";
import { toWire } from "#console/api/client.ts";
import { ApiError } from "#console/api/errors.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { Period } from "#console/places/reconciliation/lines/day.tsx";
import { DownloadButton } from "#console/places/reconciliation/lines/download.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type ClosePeriod,
  closeQuery,
  type CloseReport,
  isWorking,
  matchingQuery,
  stateAfter,
} from "#console/places/reconciliation/queries/matchings.ts";

const ROUTE = "/reconciliation/matchings/$id/close";
const PATH = "/api/florin/v1/reconciliation/matchings/{matchingID}/report";

/** The close of a period: opening, matched, open and closing of both sides to the cent, and why they differ. It can be printed and saved. */
export function ClosePage() {
  const { id } = useParams({ from: ROUTE });
  const { from, to } = useSearch({ from: ROUTE });
  const period = { from, to };
  const { data: matching } = useQuery(matchingQuery(id));
  const { data, error, refetch } = useQuery({
    ...closeQuery(id, period, matching === undefined ? "" : stateAfter(matching)),
    enabled: matching !== undefined && !isWorking(matching.lastRun),
    placeholderData: keepPreviousData,
    retry: (failures, problem) => failures < 2 && !(problem instanceof ApiError),
  });
  return (
    <div className="min-h-0 flex-1 overflow-y-auto print:overflow-visible">
      <div className="max-w-5xl p-6 max-sm:p-4">
        <Bar id={id} period={period} report={data} />
        {isWorking(matching?.lastRun) && <p className="my-4">{matchingWords().close.waits}</p>}
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && !isWorking(matching?.lastRun) && <LoadingRows />}
        {data !== undefined && <Report report={data} />}
      </div>
    </div>
  );
}

/** The days of the period, and what can be done with the report. */
function Bar({
  id,
  period,
  report,
}: {
  readonly id: string;
  readonly period: ClosePeriod;
  readonly report: CloseReport | undefined;
}) {
  const words = matchingWords();
  const navigate = useNavigate();
  const set = (next: ClosePeriod): void => {
    const search = Object.fromEntries(
      Object.entries({ ...period, ...next }).filter(([, day]) => day !== undefined && day !== ""),
    );
    void navigate({ to: ROUTE, params: { id }, search, replace: true });
  };
  const input = { path: { matchingID: id }, query: { from: period.from, to: period.to } };
  const file = `close-${report?.from ?? ""}-${report?.to ?? ""}`;
  return (
    <div className="mb-6 flex flex-wrap items-end gap-3 print:hidden">
      <TextField
        label={words.form.from}
        type="date"
        value={period.from ?? report?.from ?? ""}
        onChange={(from) => set({ from })}
        isRequired
      />
      <TextField
        label={words.form.to}
        type="date"
        value={period.to ?? report?.to ?? ""}
        onChange={(to) => set({ to })}
        isRequired
      />
      <span className="ml-auto flex flex-wrap gap-2">
        <AsCode requests={[toWire("get", PATH, input)]} />
        <DownloadButton request={toWire("get", `${PATH}.csv`, input)} file={`${file}.csv`}>
          {words.close.csv}
        </DownloadButton>
        <DownloadButton request={toWire("get", `${PATH}.html`, input)} file={`${file}.html`}>
          {words.close.html}
        </DownloadButton>
        <Button onClick={() => print()}>
          <Printer aria-hidden size={14} />
          {words.close.print}
        </Button>
      </span>
    </div>
  );
}

function Report({ report }: { readonly report: CloseReport }) {
  const words = matchingWords();
  const { from, to, at, assets, left, right } = report;
  return (
    <article aria-label={words.close.title}>
      <p className="mb-1 text-section font-semibold">
        {words.close.title} <Period from={from} to={to} />
      </p>
      <p className="mb-6 text-muted">
        {words.side.left} <Foreign>{left.name}</Foreign> · {words.side.right}{" "}
        <Foreign>{right.name}</Foreign> · {words.close.made} <Moment at={at} isWhole />
      </p>
      {assets.length === 0 && <p className="text-muted">{words.close.empty}</p>}
      {assets.map((asset) => (
        <CloseTable key={asset.asset} of={asset} names={{ left: left.name, right: right.name }} />
      ))}
    </article>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { NewPipeline } from "./new-pipeline.tsx";
import { PipelineActions } from "./pipeline-actions.tsx";
import { type Exporter, exportersQuery, type Pipeline, pipelinesQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status, type Tone } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { ListFrame } from "#console/parts/lists/list-page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { isAbsent } from "#console/places/ledgers/moment/compared-balances.tsx";
import { PresentOnly } from "#console/places/ledgers/moment/present-only.tsx";
import { pipelinesRequest } from "#console/places/ledgers/requests.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** Where the log of a ledger is sent: its pipelines, with what they still have to send and what stops them. */
export function ExportersPage() {
  const words = ledgerWords().exporters;
  const { ledger } = useParams({ from: "/ledgers/$ledger/exporters" });
  const { data, error, refetch } = useQuery(pipelinesQuery(ledger));
  const exporters = useQuery(exportersQuery());
  if (isAbsent(exporters.error)) return <Empty title={words.notServed} />;
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows />;
  const create = may("ledger:write") ? (
    <NewPipeline ledger={ledger} exporters={exporters.data ?? []} />
  ) : null;
  if (data.length === 0) {
    return (
      <>
        <PresentOnly />
        <Empty title={words.none}>{create}</Empty>
      </>
    );
  }
  return (
    <ListFrame
      actions={
        <>
          <AsCode requests={[pipelinesRequest(ledger)]} />
          {create}
        </>
      }
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        <PresentOnly />
        <div className="max-w-4xl px-6 pb-6 max-sm:px-4">
          <p className="mb-4 text-muted">{words.hint}</p>
          <ul className="divide-y divide-line rounded-md border border-line">
            {data.map((pipeline) => (
              <li key={pipeline.id} className="p-4">
                <PipelineView
                  pipeline={pipeline}
                  exporter={exporters.data?.find(({ id }) => id === pipeline.exporterID)}
                />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </ListFrame>
  );
}

const TONES: Readonly<Record<Pipeline["state"], Tone>> = {
  ready: "waits",
  started: "good",
  paused: "neutral",
  failing: "bad",
};

function PipelineView({
  pipeline,
  exporter,
}: {
  readonly pipeline: Pipeline;
  readonly exporter: Exporter | undefined;
}) {
  const words = ledgerWords().exporters;
  const { state, lag, lastLogID, delivered, lastDeliveryAt, lastError } = pipeline;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="flex min-w-0 flex-wrap items-center gap-x-3">
          <span className="font-medium">
            {exporter === undefined ? pipeline.exporterID : exporter.driver}
          </span>
          <span className="font-mono text-note text-muted">
            <Foreign>{exporter === undefined ? "" : targetOf(exporter)}</Foreign>
          </span>
          <Status tone={TONES[state]}>{words.states[state]}</Status>
        </p>
        {may("ledger:write") && <PipelineActions pipeline={pipeline} />}
      </div>
      <Facts>
        <Fact name={words.lag}>
          <span className="figures">
            {lag === 0 ? words.noLag : words.entries(formatCount(lag))}
          </span>
        </Fact>
        <Fact name={words.delivered}>
          <span className="figures">
            {words.inBatches(formatCount(delivered.entries), formatCount(delivered.batches))}
            {lastLogID !== undefined && (
              <span className="text-muted"> · {words.upTo(String(lastLogID))}</span>
            )}
          </span>
        </Fact>
        {lastDeliveryAt !== undefined && (
          <Fact name={words.lastDelivery}>
            <Moment at={lastDeliveryAt} />
          </Fact>
        )}
        {lastError !== undefined && (
          <Fact name={words.lastError}>
            <span className="text-bad">
              <Foreign>{lastError.message}</Foreign>
            </span>
            <span className="block text-note text-muted">
              {words.attempts(formatCount(lastError.attempts))} <Moment at={lastError.since} />
            </span>
          </Fact>
        )}
        {exporter?.error !== undefined && (
          <Fact name={words.configError}>
            <span className="text-bad">
              <Foreign>{exporter.error}</Foreign>
            </span>
          </Fact>
        )}
      </Facts>
    </>
  );
}

/** Members of a config that say where an exporter sends to. */
const PLACES = ["url", "dsn", "endpoint", "binding"];

/** Where an exporter sends to, as its config has it; secrets in it are masked by the server. */
function targetOf({ config }: Exporter): string {
  const found = PLACES.map((name) => config[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : "";
}

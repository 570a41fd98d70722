import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ConfigSection } from "./config-section.tsx";
import { ConnectorActions } from "./connector-actions.tsx";
import { providerName } from "./provider-names.ts";
import { type ConnectorHealth, healthQuery } from "./queries.ts";
import { RejectedItems } from "./rejected-items.tsx";
import { Schedules } from "./schedules.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status, toneClass } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { readRequest } from "#console/places/payments/common/requests.ts";
import { connectorStatus } from "#console/places/payments/common/states.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** A connector: whether it is well, what it reads and when, and its configuration. */
export function ConnectorPage() {
  const { id } = useParams({ from: "/payments/connectors/$id" });
  const { data, error, refetch } = useQuery(healthQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("connectors")]}
        title={data?.name ?? paymentWords().connector}
        actions={
          <>
            <AsCode requests={requestsOf(id)} />
            {data !== undefined && data.status !== "uninstalling" && may("payments:write") && (
              <ConnectorActions health={data} />
            )}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details id={id} health={data} />}
      </div>
    </>
  );
}

function Details({ id, health }: { readonly id: string; readonly health: ConnectorHealth }) {
  const words = paymentWords().connectors;
  return (
    <div className="max-w-5xl p-6 max-sm:p-4">
      <Diagnosis health={health} />
      <div className="mt-6">
        <Facts>
          <Fact name={paymentWords().fields.provider}>{providerName(health.provider)}</Fact>
          {health.lastSuccessAt !== undefined && (
            <Fact name={words.lastSuccess}>
              <Moment at={health.lastSuccessAt} isWhole />
            </Fact>
          )}
          {health.nextRunAt !== undefined && (
            <Fact name={words.nextRun}>
              <Moment at={health.nextRunAt} isWhole />
            </Fact>
          )}
          <Fact name={paymentWords().fields.id}>
            <span className="inline-flex max-w-full items-center gap-1">
              <span className="truncate font-mono text-note">{id}</span>
              <CopyButton value={id} what={paymentWords().fields.id} />
            </span>
          </Fact>
        </Facts>
        <p className="mt-4 flex flex-wrap gap-x-5 gap-y-1">
          <Link to="/payments/payments" search={{ connector: id }} className={LINK}>
            {words.itsPayments}
          </Link>
          <Link to="/payments/initiations" search={{ connector: id }} className={LINK}>
            {words.itsInitiations}
          </Link>
          <Link to="/payments/accounts" search={{ connector: id }} className={LINK}>
            {words.itsAccounts}
          </Link>
        </p>
      </div>
      <Section title={words.schedules}>
        <Schedules id={id} schedules={health.schedules} />
      </Section>
      <RejectedItems id={id} />
      <Webhooks health={health} />
      {health.status !== "uninstalling" && <ConfigSection id={id} provider={health.provider} />}
    </div>
  );
}

const LINK = "text-accent hover:underline";

/** The health of the connector: since when, why, and what to do. */
function Diagnosis({ health }: { readonly health: ConnectorHealth }) {
  const words = paymentWords().connectors;
  const { status, since, lastError, movements } = health;
  const shown = connectorStatus(status);
  const isWell = status === "healthy";
  return (
    <div className="rounded-lg border border-line p-4">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className={`text-section font-semibold ${toneClass(shown.tone)}`}>
          <Status {...shown} />
        </span>
        <span className="text-note text-muted">
          {words.sinceWhen} <Moment at={since} />
        </span>
      </p>
      <p className="mt-1">{words.meaning[status]}</p>
      {!isWell && lastError !== undefined && (
        <p className="mt-2 rounded-md bg-sunken px-3 py-2 font-mono text-note">
          <Foreign>{lastError}</Foreign>
        </p>
      )}
      {movements !== undefined && (
        <p className="mt-2">
          {words.stuckMovements(movements.count, formatCount(movements.attempts))}{" "}
          <Link
            to="/payments/initiations/$id"
            params={{ id: movements.paymentInitiationID }}
            className={LINK}
          >
            {words.showStuck}
          </Link>
        </p>
      )}
      <p className="mt-2 text-muted">{words.whatToDo[status]}</p>
    </div>
  );
}

/** The webhooks that the connector has registered at its provider. */
function Webhooks({ health: { webhooks } }: { readonly health: ConnectorHealth }) {
  const words = paymentWords().connectors;
  if (webhooks.length === 0) return null;
  return (
    <Section title={words.webhooks}>
      <Facts>
        {webhooks.map(({ name, path, lastError, lastFailureAt }) => (
          <Fact key={path} name={name}>
            <span className="font-mono text-note">
              <Foreign>{path}</Foreign>
            </span>
            {lastFailureAt !== undefined && (
              <p className="text-muted">
                <Moment at={lastFailureAt} /> <Foreign>{lastError ?? ""}</Foreign>
              </p>
            )}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (id: string) => [
  readRequest("/api/florin/v1/payments/connectors/{connectorID}/health", { connectorID: id }),
  readRequest("/api/payments/v3/connectors/{connectorID}/config", { connectorID: id }),
];

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { History } from "./history.tsx";
import { InitiationActions } from "./initiation-actions.tsx";
import { hasTime, type Initiation, initiationQuery, madePaymentsQuery } from "./queries.ts";
import { SourceBalance } from "./source-balance.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { LargeMoney, Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { Metadata } from "#console/places/payments/common/metadata.tsx";
import { AccountLink, ConnectorLink, WhoLink } from "#console/places/payments/common/names.tsx";
import { initiationStatus, paymentStatus } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** An order to move money: who asked for it, what it does, what can be done now, and what has happened. */
export function InitiationView({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(initiationQuery(id));
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={5} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  return <Details initiation={data} />;
}

function Details({ initiation }: { readonly initiation: Initiation }) {
  const words = paymentWords();
  const { amount, asset, status, error, sourceAccountID, destinationAccountID } = initiation;
  return (
    <>
      <LargeMoney amount={amount} asset={asset} />
      <p className="mt-1">
        <Status {...initiationStatus(status)} />
      </p>
      {error !== undefined && (
        <p className="mt-2 rounded-md bg-bad-soft px-3 py-2">
          <Foreign>{error}</Foreign>
        </p>
      )}
      <p className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1">
        <AccountLink id={sourceAccountID} />
        <ArrowRight aria-label={words.fields.to} size={13} className="shrink-0 text-faint" />
        <AccountLink id={destinationAccountID} />
      </p>
      <SourceBalance initiation={initiation} />
      {may("payments:write") && <InitiationActions initiation={initiation} />}
      <Movement initiation={initiation} />
      <div className="mt-6">
        <InitiationFacts initiation={initiation} />
      </div>
      <Section title={words.initiations.history}>
        <History id={initiation.id} status={status} asset={asset} />
      </Section>
      <MadePayments initiation={initiation} />
      <Section title={words.fields.metadata}>
        <Metadata metadata={initiation.metadata} />
      </Section>
      <Section title={words.payments.raw}>
        <JsonView value={initiation} />
      </Section>
    </>
  );
}

function InitiationFacts({ initiation }: { readonly initiation: Initiation }) {
  const { fields, initiations, paymentType } = paymentWords();
  const { id, createdAt, createdBy, description, reference, scheduledAt, type } = initiation;
  return (
    <Facts>
      <Fact name={initiations.askedBy}>
        <WhoLink subject={createdBy} />
      </Fact>
      <Fact name={fields.when}>
        <Moment at={createdAt} isWhole />
      </Fact>
      <Fact name={initiations.sentAt}>
        {hasTime(initiation) ? <Moment at={scheduledAt} isWhole /> : initiations.atOnce}
      </Fact>
      <Fact name={fields.type}>{paymentType[type]}</Fact>
      <Fact name={fields.connector}>
        <ConnectorLink id={initiation.connectorID} kind={initiation.provider} />
      </Fact>
      <Fact name={fields.reference}>
        <span className="inline-flex items-center gap-1">
          <Foreign>{reference}</Foreign>
          <CopyButton value={reference} what={fields.reference} />
        </span>
      </Fact>
      {description !== "" && (
        <Fact name={initiations.description}>
          <Foreign>{description}</Foreign>
        </Fact>
      )}
      <Fact name={fields.id}>
        <span className="flex items-center gap-1">
          <span className="truncate font-mono text-note">{id}</span>
          <CopyButton value={id} what={fields.id} />
        </span>
      </Fact>
    </Facts>
  );
}

/** How the movement of the money goes on, while it does. */
function Movement({ initiation: { movement } }: { readonly initiation: Initiation }) {
  const words = paymentWords().initiations;
  if (movement === undefined) return null;
  const { attempts, lastError, failingSince, nextAttemptAt, needsReview } = movement;
  return (
    <div className="mt-4 rounded-md border border-line px-3 py-2">
      <p>
        {needsReview === undefined ? (
          <>
            {words.attempts(formatCount(attempts))} <Moment at={nextAttemptAt} />
          </>
        ) : (
          words.needsReview
        )}
      </p>
      {lastError !== undefined && (
        <p className="mt-1 text-muted">
          <Foreign>{lastError}</Foreign>
          {failingSince !== undefined && (
            <>
              {" · "}
              {paymentWords().connectors.sinceWhen} <Moment at={failingSince} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** The payments that were made for the initiation. */
function MadePayments({ initiation: { id, status } }: { readonly initiation: Initiation }) {
  const words = paymentWords().initiations;
  const { data, error } = useInfiniteQuery(madePaymentsQuery(id, status));
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Section title={words.payments}>
      {error !== null && <Failure error={error} />}
      {data !== undefined && rows.length === 0 && <p className="text-muted">{words.noPayments}</p>}
      {rows.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {rows.map((payment) => (
            <li
              key={payment.id}
              className="flex flex-wrap items-center justify-between gap-x-4 px-3 py-2"
            >
              <Link
                to="/payments/payments/$id"
                params={{ id: payment.id }}
                className="text-accent hover:underline"
              >
                <Foreign>{payment.reference}</Foreign>
              </Link>
              <Status {...paymentStatus(payment.status)} />
              <Money amount={payment.amount} asset={payment.asset} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

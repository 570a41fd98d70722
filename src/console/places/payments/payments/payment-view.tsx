import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { Booked } from "./booked.tsx";
import { type PaymentState, type Payment, paymentQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { type TimelineEntry, Timeline } from "#console/parts/layout/timeline.tsx";
import { LargeMoney, Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { Metadata } from "#console/places/payments/common/metadata.tsx";
import { AccountLink, ConnectorLink } from "#console/places/payments/common/names.tsx";
import { PAYMENT_TONES, paymentStatus } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** A payment: how much, from where to where, what has happened to it, and where it is booked. */
export function PaymentView({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(paymentQuery(id));
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={5} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  return <Details payment={data} />;
}

function Details({ payment }: { readonly payment: Payment }) {
  const words = paymentWords();
  const { amount, initialAmount, asset, status, adjustments = [] } = payment;
  return (
    <>
      <LargeMoney amount={amount} asset={asset} />
      <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status {...paymentStatus(status)} />
        {BigInt(amount) !== BigInt(initialAmount) && (
          <span className="text-muted">
            {words.payments.initially} <Money amount={initialAmount} asset={asset} />
          </span>
        )}
      </p>
      <p className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1">
        <AccountLink id={payment.sourceAccountID} />
        <ArrowRight aria-label={words.fields.to} size={13} className="shrink-0 text-faint" />
        <AccountLink id={payment.destinationAccountID} />
      </p>
      <div className="mt-6">
        <PaymentFacts payment={payment} />
      </div>
      <Section title={words.payments.history}>
        <Timeline entries={adjustments.map((each) => toEntry(each, payment))} />
      </Section>
      {may("ledger:read") && <Booked paymentId={payment.id} />}
      <Section title={words.fields.metadata}>
        <Metadata metadata={payment.metadata} />
      </Section>
      <Section title={words.payments.raw}>
        <JsonView value={payment} />
      </Section>
    </>
  );
}

function PaymentFacts({ payment }: { readonly payment: Payment }) {
  const { fields, paymentType, payments } = paymentWords();
  const { id, reference, type, scheme, createdAt, connectorID, provider } = payment;
  return (
    <Facts>
      <Fact name={fields.reference}>
        <span className="inline-flex items-center gap-1">
          <Foreign>{reference}</Foreign>
          <CopyButton value={reference} what={fields.reference} />
        </span>
      </Fact>
      <Fact name={fields.when}>
        <Moment at={createdAt} isWhole />
      </Fact>
      <Fact name={fields.type}>{paymentType[type]}</Fact>
      <Fact name={fields.connector}>
        <ConnectorLink id={connectorID} kind={provider} />
      </Fact>
      {scheme !== "UNKNOWN" && scheme !== "OTHER" && (
        <Fact name={payments.scheme}>{scheme.replaceAll("_", " ")}</Fact>
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

/** An adjustment as it happened, with the provider's own data of it. */
function toEntry(
  { id, createdAt, status, amount, reference, raw }: PaymentState,
  { asset, reference: ofPayment }: Payment,
): TimelineEntry {
  const hasRaw = Object.keys(raw).length > 0;
  return {
    id,
    at: createdAt,
    tone: PAYMENT_TONES[status],
    title: (
      <span className="inline-flex flex-wrap items-baseline gap-x-2">
        {paymentWords().paymentStatus[status]}
        {amount !== undefined && (
          <span className="font-normal text-muted">
            <Money amount={amount} asset={asset} />
          </span>
        )}
      </span>
    ),
    note: (
      <>
        {reference !== ofPayment && (
          <span className="font-mono text-note">
            <Foreign>{reference}</Foreign>
          </span>
        )}
        {hasRaw && (
          <details className="mt-1">
            <summary className="cursor-pointer text-note">
              {paymentWords().payments.fromProvider}
            </summary>
            <JsonView value={raw} />
          </details>
        )}
      </>
    ),
  };
}

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BookingActions } from "./booking-actions.tsx";
import { BookingFailures } from "./booking-failures.tsx";
import { bookingQuery } from "./queries.ts";
import { ScopeLink } from "./scope.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { Figure, Figures } from "#console/parts/base/figure.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import type { Booking } from "#console/places/payments/common/queries.ts";
import { readRequest } from "#console/places/payments/common/requests.ts";
import { bookingState } from "#console/places/payments/common/states.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** A booking: how far it is, what the ledger has refused, and its rules. */
export function BookingPage() {
  const { id } = useParams({ from: "/payments/bookings/$id" });
  const { data, error, refetch } = useQuery(bookingQuery(id));
  const mayBook = may("payments:write") && may("ledger:write");
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("bookings")]}
        title={data?.ledger ?? paymentWords().booking}
        actions={
          <>
            <AsCode requests={requestsOf(id)} />
            {data !== undefined && mayBook && <BookingActions booking={data} />}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details booking={data} />}
      </div>
    </>
  );
}

function Details({ booking }: { readonly booking: Booking }) {
  const words = paymentWords().bookings;
  const { id, ledger, booked, failed, pending, error } = booking;
  return (
    <div className="max-w-4xl p-6 max-sm:p-4">
      <div className="mb-4">
        <Figures>
          <Figure name={words.booked} link={transactionsOf(ledger)}>
            {formatCount(booked)}
          </Figure>
          <Figure name={words.failed}>{formatCount(failed)}</Figure>
          <Figure name={words.pending}>{formatCount(pending)}</Figure>
        </Figures>
      </div>
      <Status {...bookingState(booking)} />
      {error !== undefined && (
        <div className="mt-2">
          <p className="rounded-md bg-sunken px-3 py-2 font-mono text-note">
            <Foreign>{error}</Foreign>
          </p>
          <p className="mt-1 text-muted">{words.whatToDo}</p>
        </div>
      )}
      <div className="mt-6">
        <Rules booking={booking} />
      </div>
      {failed > 0 && <BookingFailures id={id} />}
    </div>
  );
}

/** The way from a count to the ledger's transactions. */
const transactionsOf = (ledger: string) => (count: ReactNode) => (
  <Link to="/ledgers/$ledger/transactions" params={{ ledger }} className="hover:underline">
    {count}
  </Link>
);

function Rules({ booking }: { readonly booking: Booking }) {
  const { bookings: words, fields, paymentStatus } = paymentWords();
  const { connectorID, poolID, ledger, schemaVersion, template, templates } = booking;
  const names: Readonly<Record<string, string>> = paymentStatus;
  return (
    <Facts>
      <Fact name={words.whose}>
        <ScopeLink
          {...(connectorID === undefined ? {} : { connectorID })}
          {...(poolID === undefined ? {} : { poolID })}
        />
      </Fact>
      <Fact name={words.ledger}>
        <Link to="/ledgers/$ledger" params={{ ledger }} className="text-accent hover:underline">
          <Foreign>{ledger}</Foreign>
        </Link>
      </Fact>
      <Fact name={words.template}>
        <Link
          to="/ledgers/$ledger/schema"
          params={{ ledger }}
          className="font-mono text-note text-accent hover:underline"
        >
          <Foreign>{`${template} (${schemaVersion})`}</Foreign>
        </Link>
      </Fact>
      {Object.entries(templates).map(([status, name]) => (
        <Fact key={status} name={words.templateFor(names[status] ?? status)}>
          <span className="font-mono text-note">
            <Foreign>{name}</Foreign>
          </span>
        </Fact>
      ))}
      {booking.lastBookedAt !== undefined && (
        <Fact name={words.last}>
          <Moment at={booking.lastBookedAt} isWhole />
        </Fact>
      )}
      <Fact name={fields.created}>
        <Moment at={booking.createdAt} isWhole />
      </Fact>
    </Facts>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (id: string) => [
  readRequest("/api/florin/v1/payments/bookings/{bookingID}", { bookingID: id }),
  readRequest("/api/florin/v1/payments/bookings/{bookingID}/failures", { bookingID: id }),
];

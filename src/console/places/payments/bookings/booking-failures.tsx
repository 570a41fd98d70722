import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { bookingFailuresQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The states of payments that the ledger has refused, each with the reason. */
export function BookingFailures({ id }: { readonly id: string }) {
  const words = paymentWords().bookings;
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    bookingFailuresQuery(id),
  );
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Section title={words.failures}>
      <p className="mb-3 text-muted">{words.failuresMeaning}</p>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows rows={3} />}
      <ol className="divide-y divide-line rounded-md border border-line">
        {rows.map(({ adjustmentID, paymentID, message, details, createdAt }) => (
          <li key={adjustmentID} className="space-y-1 px-3 py-2">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <Link
                to="/payments/payments/$id"
                params={{ id: paymentID }}
                className="text-accent hover:underline"
              >
                <Foreign>{referenceIn(paymentID)}</Foreign>
              </Link>
              <span className="text-note text-muted">
                <Moment at={createdAt} />
              </span>
            </p>
            <p className="whitespace-pre-wrap">
              <Foreign>{message}</Foreign>
            </p>
            {details !== undefined && (
              <p className="font-mono text-note text-muted">
                <Foreign>{details}</Foreign>
              </p>
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button kind="quiet" className="mt-2" onClick={() => void fetchNextPage()}>
          {partWords().table.more}
        </Button>
      )}
    </Section>
  );
}

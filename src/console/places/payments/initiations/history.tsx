import { useInfiniteQuery } from "@tanstack/react-query";
import { type InitiationState, adjustmentsQuery, type Initiation } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { type TimelineEntry, Timeline } from "#console/parts/layout/timeline.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { Who } from "#console/places/payments/common/names.tsx";
import { INITIATION_TONES } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** What happened to an initiation, newest first, and who decided. */
export function History({ id, status, asset }: Pick<Initiation, "id" | "status" | "asset">) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...adjustmentsQuery(id, status),
    placeholderData: (before) => before,
  });
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={3} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  const rows = data.pages.flatMap((page) => page.rows);
  return (
    <>
      <Timeline entries={rows.map((row) => toEntry(row, asset))} />
      {hasNextPage && (
        <Button kind="quiet" onClick={() => void fetchNextPage()}>
          {partWords().table.more}
        </Button>
      )}
    </>
  );
}

function toEntry(
  { id, createdAt, status, amount, error, metadata }: InitiationState,
  asset: string,
): TimelineEntry {
  const { initiationStatus, initiations } = paymentWords();
  const decision = DECISIONS.find((key) => metadata[key] !== undefined);
  return {
    id,
    at: createdAt,
    tone: INITIATION_TONES[status],
    title: initiationStatus[status],
    note: (
      <>
        {amount !== undefined && (
          <p>
            <Money amount={amount} asset={asset} />
          </p>
        )}
        {decision !== undefined && (
          <p>
            {initiations.decided[decision]} <Who subject={metadata[decision] ?? ""} />
          </p>
        )}
        {error !== undefined && (
          <p>
            <Foreign>{error}</Foreign>
          </p>
        )}
      </>
    ),
  };
}

/** The metadata in which an adjustment names who has decided. */
const DECISIONS = ["approvedBy", "rejectedBy", "retriedBy"] as const;

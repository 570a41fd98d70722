import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { occurrencesQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { Timeline, type TimelineEntry } from "#console/parts/layout/timeline.tsx";
import type { Occurrence } from "#console/places/workflows/queries.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** What a trigger has fired for, newest first, and what came of each. */
export function Occurrences({ trigger }: { readonly trigger: string }) {
  const words = workflowWords();
  const query = occurrencesQuery(trigger);
  const { data, error, refetch, fetchNextPage, hasNextPage } = useInfiniteQuery(query);
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const occurrences = data.pages.flatMap(({ rows }) => rows);
  if (occurrences.length === 0)
    return <p className="text-muted">{words.triggersPage.noOccurrences}</p>;
  return (
    <>
      <div className="mb-3 flex justify-end">
        <CsvButton
          file="occurrences"
          query={query}
          columns={[
            ["id", ({ id }) => id],
            ["date", ({ date }) => date],
            ["instanceID", ({ workflowInstanceID }) => workflowInstanceID],
            ["error", (row) => row.error],
          ]}
          linesOf={(row) => [row]}
        />
      </div>
      <Timeline entries={occurrences.map(toEntry)} />
      {hasNextPage && (
        <Button className="mt-4" onClick={() => void fetchNextPage()}>
          {words.instancePage.more}
        </Button>
      )}
    </>
  );
}

function toEntry({ id, date, event, error, workflowInstanceID }: Occurrence): TimelineEntry {
  const words = workflowWords().triggersPage;
  return {
    id,
    at: date,
    tone: error === undefined ? "good" : "bad",
    title:
      workflowInstanceID === undefined ? (
        words.notStarted
      ) : (
        <Link
          to="/workflows/instances/$id"
          params={{ id: workflowInstanceID }}
          className="text-accent hover:underline"
        >
          {words.started} {workflowInstanceID.slice(0, 8)}
        </Link>
      ),
    note: (
      <>
        {error !== undefined && <Foreign>{error}</Foreign>}
        <details>
          <summary className="cursor-pointer text-note">{words.eventTitle}</summary>
          <div className="mt-2">
            <JsonView value={event} />
          </div>
        </details>
      </>
    ),
  };
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { locale } from "#console/parts/language/words.ts";
import { partWords } from "#console/parts/part-words.ts";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { By } from "#console/places/reconciliation/lines/author.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { RunState } from "#console/places/reconciliation/matchings/run-state.tsx";
import {
  type Matching,
  type MatchingRun,
  runsQuery,
  stateAfter,
} from "#console/places/reconciliation/queries/matchings.ts";

/** The runs of a matching, newest first. */
export function Runs({ matching }: { readonly matching: Matching }) {
  const words = matchingWords();
  const columns = useMemo(() => columnsOf(), []);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    { ...runsQuery(matching.id, stateAfter(matching)), placeholderData: (before) => before },
  );
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const rows = data.pages.flatMap((page) => page.rows);
  if (rows.length === 0) return <p className="text-muted">{words.noRuns}</p>;
  return (
    <>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable label={words.runs} columns={columns} rows={rows} idOf={({ id }) => String(id)} />
      </div>
      {hasNextPage && (
        <Button
          kind="quiet"
          className="mt-2"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {partWords().table.more}
        </Button>
      )}
    </>
  );
}

function columnsOf(): readonly Column<MatchingRun>[] {
  const { fields } = matchingWords();
  return [
    {
      id: "state",
      header: fields.state,
      width: 110,
      grow: 1,
      cell: (run) => <RunState run={run} />,
      phone: "main",
    },
    {
      id: "new",
      header: fields.collected,
      width: 88,
      isNumber: true,
      cell: ({ collected }) => `${formatCount(collected.left)} / ${formatCount(collected.right)}`,
    },
    {
      id: "matched",
      header: fields.made,
      width: 72,
      isNumber: true,
      cell: ({ matched }) => formatCount(matched),
    },
    {
      id: "proposed",
      header: fields.proposed,
      width: 76,
      rank: 1,
      isNumber: true,
      cell: ({ proposed }) => formatCount(proposed),
    },
    {
      id: "open",
      header: fields.open,
      width: 64,
      isNumber: true,
      cell: ({ open, state }) => (state === "done" ? formatCount(open) : null),
    },
    {
      id: "by",
      header: fields.by,
      width: 110,
      grow: 1,
      rank: 3,
      cell: ({ by }) => <By author={by} />,
      phone: "note",
    },
    {
      id: "took",
      header: fields.took,
      width: 64,
      rank: 2,
      isNumber: true,
      cell: ({ startedAt, endedAt }) =>
        endedAt === undefined
          ? null
          : formatDuration(Date.parse(endedAt) - Date.parse(startedAt), locale),
    },
    {
      id: "when",
      header: fields.when,
      width: 112,
      isNumber: true,
      cell: ({ startedAt }) => <Moment at={startedAt} />,
      phone: "end",
    },
  ];
}

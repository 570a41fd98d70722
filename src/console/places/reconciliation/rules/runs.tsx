import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { Button } from "#console/parts/base/button.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { locale } from "#console/parts/language/words.ts";
import { partWords } from "#console/parts/part-words.ts";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { ResultStatus } from "#console/places/reconciliation/common/states.tsx";
import { findingOf } from "#console/places/reconciliation/evaluations/finding.tsx";
import { type Evaluation, LIVE_MS } from "#console/places/reconciliation/queries/common.ts";
import { evaluationsQuery } from "#console/places/reconciliation/queries/evaluations.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The runs of a rule, newest first. A run opens on its own page. */
export function Runs({ rule }: { readonly rule: string }) {
  const words = reconciliationWords().rules;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    { ...evaluationsQuery(rule), refetchInterval: LIVE_MS },
  );
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const rows = data.pages.flatMap((page) => page.rows);
  if (rows.length === 0) return <p className="text-muted">{words.noRuns}</p>;
  return (
    <>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable
          label={words.runs}
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: "/reconciliation/evaluations/$id", params: { id } })
          }
        />
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

function columnsOf(): readonly Column<Evaluation>[] {
  const { fields, evaluationPage } = reconciliationWords();
  return [
    {
      id: "result",
      header: fields.result,
      width: 130,
      cell: ({ result }) => <ResultStatus result={result} />,
      phone: "main",
    },
    {
      id: "finding",
      header: evaluationPage.checks,
      width: 180,
      grow: 1,
      cell: (evaluation) => <span className="text-muted">{findingOf(evaluation)}</span>,
      phone: "note",
    },
    {
      id: "why",
      header: fields.why,
      width: 160,
      rank: 1,
      cell: ({ run }) => <span className="text-muted">{evaluationPage.cause[run.kind]}</span>,
    },
    {
      id: "took",
      header: fields.took,
      width: 72,
      rank: 2,
      isNumber: true,
      cell: ({ startedAt, endedAt }) =>
        formatDuration(Date.parse(endedAt) - Date.parse(startedAt), locale),
    },
    {
      id: "when",
      header: fields.when,
      width: 130,
      isNumber: true,
      cell: ({ startedAt }) => <Moment at={startedAt} />,
      phone: "end",
    },
  ];
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { AddsUp, Balances, HeadPeriod, StatementState } from "./statement-parts.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { shortId } from "#console/places/reconciliation/common/names.tsx";
import {
  READING_MS,
  type Statement,
  statementsQuery,
  type StatementSource,
} from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** The files of a source, newest first, with what each says of itself. */
export function Statements({ source }: { readonly source: StatementSource }) {
  const words = sourceWords().statements;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      ...statementsQuery(source.id),
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ rows }) => rows.some(isReading)) === true ? READING_MS : false,
    },
  );
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const rows = data.pages.flatMap((page) => page.rows);
  if (rows.length === 0) return <p className="text-muted">{words.none}</p>;
  return (
    <>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable
          label={words.title}
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id, sourceID }) =>
            void navigate({
              to: "/reconciliation/sources/$id/statements/$statement",
              params: { id: sourceID, statement: id },
            })
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

const isReading = ({ state }: Statement): boolean => state === "reading";

function columnsOf(): readonly Column<Statement>[] {
  const { fields } = sourceWords();
  return [
    {
      id: "file",
      header: fields.file,
      width: 150,
      grow: 1,
      cell: ({ id, fileName }) => <Foreign>{fileName ?? shortId(id)}</Foreign>,
      phone: "main",
    },
    {
      id: "state",
      header: fields.state,
      width: 110,
      cell: ({ state }) => <StatementState state={state} />,
      phone: "end",
    },
    {
      id: "period",
      header: fields.period,
      width: 190,
      rank: 1,
      cell: ({ heads }) => <HeadPeriod heads={heads} />,
      phone: "note",
    },
    {
      id: "balances",
      header: fields.balances,
      width: 210,
      rank: 2,
      isNumber: true,
      cell: ({ heads: [head, ...others] }) =>
        head === undefined || others.length > 0 ? null : <Balances head={head} />,
    },
    {
      id: "lines",
      header: fields.lines,
      width: 64,
      isNumber: true,
      cell: ({ lines }) => formatCount(lines),
    },
    {
      id: "adds-up",
      header: fields.addsUp,
      width: 150,
      cell: (statement) => <AddsUp statement={statement} />,
      phone: "note",
    },
    {
      id: "uploaded",
      header: fields.uploaded,
      width: 120,
      rank: 3,
      isNumber: true,
      cell: ({ uploadedAt }) => <Moment at={uploadedAt} />,
    },
  ];
}

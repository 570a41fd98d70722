import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { AgePicture } from "./age-picture.tsx";
import { breakFields, breakFilterOf } from "./break-filters.ts";
import { ageOf, BreakState } from "./break-parts.tsx";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import { Money } from "#console/parts/money/money.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { ClassName } from "#console/places/reconciliation/lines/classes.tsx";
import { LineText } from "#console/places/reconciliation/lines/texts.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { breaksQuery, type MatchingBreak } from "#console/places/reconciliation/queries/breaks.ts";
import { matchingQuery, stateAfter } from "#console/places/reconciliation/queries/matchings.ts";

const ROUTE = "/reconciliation/matchings/$id/breaks";

/** The lines of a matching that are not matched: why and how old as a picture, and the list of them. */
export function BreaksPage() {
  const { id } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const words = matchingWords();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => breakFields(), []);
  const values = valuesIn(search, fields);
  const filter = breakFilterOf(values);
  const { data } = useQuery(matchingQuery(id));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <AgePicture id={id} state={data === undefined ? "" : stateAfter(data)} />
      <ListPage
        label={words.tabs.breaks}
        query={breaksQuery(id, filter)}
        columns={columns}
        idOf={(row) => String(row.id)}
        onOpen={(row) =>
          void navigate({
            to: "/reconciliation/matchings/$id/breaks/$line",
            params: { id, line: String(row.id) },
          })
        }
        filters={{
          fields,
          values,
          onChange: (next) =>
            void navigate({ to: ROUTE, params: { id }, search: next, replace: true }),
        }}
        code={[
          toWire("get", "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks", {
            path: { matchingID: id },
            query: { ...filter },
          }),
        ]}
        csv={{ name: "breaks", columns: CSV, linesOf: oneLine }}
        none={words.breaks.none}
      />
    </div>
  );
}

const CSV: readonly CsvColumn<MatchingBreak>[] = [
  ["line", ({ id }) => id],
  ["side", ({ side }) => side],
  ["date", ({ date }) => date],
  ["amount", ({ amount }) => amount],
  ["asset", ({ asset }) => asset],
  ["class", ({ breakClass }) => breakClass],
  ["status", ({ status }) => status],
  ["assignee", ({ assignee }) => assignee],
  ["sourceLineID", ({ sourceLineID }) => sourceLineID],
  ["text", ({ texts }) => texts.text],
  ["endToEndId", ({ texts }) => texts.endToEndId],
];

function columnsOf(): readonly Column<MatchingBreak>[] {
  const { fields, side } = matchingWords();
  return [
    {
      id: "text",
      header: fields.text,
      width: 170,
      grow: 1,
      cell: ({ texts }) => <LineText texts={texts} />,
      phone: "main",
    },
    {
      id: "class",
      header: fields.class,
      width: 150,
      cell: ({ breakClass }) => <ClassName name={breakClass} />,
      phone: "note",
    },
    {
      id: "side",
      header: fields.side,
      width: 72,
      rank: 3,
      cell: (row) => <span className="text-muted">{side[row.side]}</span>,
    },
    {
      id: "age",
      header: fields.age,
      width: 72,
      isNumber: true,
      cell: ({ date }) => ageOf(date),
      phone: "note",
    },
    {
      id: "status",
      header: fields.status,
      width: 150,
      rank: 1,
      cell: ({ status }) => <BreakState status={status} />,
    },
    {
      id: "assignee",
      header: fields.assignee,
      width: 120,
      grow: 0.4,
      rank: 2,
      cell: ({ assignee }) => <Foreign>{assignee ?? ""}</Foreign>,
    },
    {
      id: "amount",
      header: fields.amount,
      width: 120,
      isNumber: true,
      cell: ({ amount, asset }) => <Money amount={amount} asset={asset} />,
      phone: "end",
    },
  ];
}

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewSource } from "./new-source.tsx";
import { SourceOrigin } from "./origin.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { listRequest } from "#console/places/reconciliation/common/requests.ts";
import { type ItemSource, sourcesQuery } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The sources, newest first: where lines come from that are matched item by item. */
export function SourcesPage() {
  const words = sourceWords();
  const search = useSearch({ from: "/reconciliation/sources" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={reconciliationWords().tabs.sources}
      query={sourcesQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/reconciliation/sources/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/reconciliation/sources", search: next, replace: true }),
      }}
      code={[listRequest("/api/florin/v1/reconciliation/sources", filter)]}
      csv={{ name: "sources", columns: CSV, linesOf: oneLine }}
      create={mayWrite() ? <NewSource /> : null}
      none={words.none}
    />
  );
}

const CONDITIONS = {
  name: (text: string) => ({ $like: { name: `%${text}%` } }),
  kind: equals("kind"),
};

function fieldsOf(): readonly FilterField[] {
  const { fields, kind } = sourceWords();
  return [
    { id: "name", label: fields.name, example: "house bank" },
    {
      id: "kind",
      label: fields.kind,
      example: "statement",
      choices: Object.entries(kind).map(([value, label]) => ({ value, label })),
    },
  ];
}

const CSV: readonly CsvColumn<ItemSource>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["kind", ({ kind }) => kind],
  ["createdAt", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<ItemSource>[] {
  const { fields, kind } = sourceWords();
  return [
    {
      id: "name",
      header: fields.name,
      width: 160,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "kind",
      header: fields.kind,
      width: 150,
      cell: (source) => <span className="text-muted">{kind[source.kind]}</span>,
      phone: "end",
    },
    {
      id: "origin",
      header: fields.origin,
      width: 180,
      grow: 1,
      rank: 1,
      cell: (source) => <SourceOrigin source={source} />,
      phone: "note",
    },
    {
      id: "created",
      header: fields.created,
      width: 130,
      rank: 2,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
  ];
}

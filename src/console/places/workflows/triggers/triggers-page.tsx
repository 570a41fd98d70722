import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewTrigger } from "./new-trigger.tsx";
import { triggersQuery } from "./queries.ts";
import { WorkflowLink } from "./workflow-link.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import type { Trigger } from "#console/places/workflows/queries.ts";
import { triggersRequests } from "#console/places/workflows/requests.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** All triggers: what they fire for, and what they start. */
export function TriggersPage() {
  const words = workflowWords();
  const search = useSearch({ from: "/workflows/triggers" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(
    () => [{ id: "name", label: words.triggersPage.fields.name, example: "payouts" }],
    [words],
  );
  return (
    <ListPage
      label={words.triggers}
      query={triggersQuery(search.name)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/workflows/triggers/$id", params: { id } })}
      filters={{
        fields,
        values: valuesIn(search, fields),
        onChange: (next) =>
          void navigate({ to: "/workflows/triggers", search: next, replace: true }),
      }}
      code={triggersRequests(search.name)}
      csv={{ name: "triggers", columns: CSV, linesOf: oneLine }}
      create={may("orchestration:write") ? <NewTrigger /> : null}
      none={words.triggersPage.none}
    />
  );
}

const CSV: readonly CsvColumn<Trigger>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["event", ({ event }) => event],
  ["filter", ({ filter }) => filter],
  ["workflowID", ({ workflowID }) => workflowID],
  ["createdAt", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<Trigger>[] {
  const words = workflowWords();
  return [
    {
      id: "name",
      header: words.columns.name,
      width: 150,
      grow: 0.6,
      cell: ({ name }) => (
        <span className="font-medium">
          {name === "" ? (
            <span className="text-muted">{words.nameless}</span>
          ) : (
            <Foreign>{name}</Foreign>
          )}
        </span>
      ),
      phone: "main",
    },
    {
      id: "event",
      header: words.columns.event,
      width: 210,
      cell: ({ event }) => (
        <span className="font-mono text-note">
          <Foreign>{event}</Foreign>
        </span>
      ),
      phone: "note",
    },
    {
      id: "filter",
      header: words.columns.filter,
      width: 160,
      grow: 1,
      rank: 2,
      cell: ({ filter }) =>
        filter === undefined ? (
          <span className="text-muted">{words.triggersPage.always}</span>
        ) : (
          <span className="font-mono text-note text-muted">
            <Foreign>{filter}</Foreign>
          </span>
        ),
    },
    {
      id: "workflow",
      header: words.columns.workflow,
      width: 130,
      grow: 0.5,
      cell: ({ workflowID }) => <WorkflowLink id={workflowID} />,
    },
    {
      id: "created",
      header: words.columns.created,
      width: 136,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "end",
    },
  ];
}

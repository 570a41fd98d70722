import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewTrigger } from "./new-trigger.tsx";
import { triggersQuery } from "./queries.ts";
import { WorkflowLink } from "./workflow-link.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";
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
  const query = triggersQuery(search.name);
  return (
    <>
      <div className="flex items-center gap-2 px-6 py-2 max-sm:px-4">
        <FilterBar
          fields={fields}
          values={valuesIn(search, fields)}
          onChange={(next) =>
            void navigate({ to: "/workflows/triggers", search: next, replace: true })
          }
        />
        <AsCode requests={triggersRequests(search.name)} />
        <CsvButton
          file="triggers"
          query={query}
          columns={[
            ["id", ({ id }) => id],
            ["name", ({ name }) => name],
            ["event", ({ event }) => event],
            ["filter", ({ filter }) => filter],
            ["workflowID", ({ workflowID }) => workflowID],
            ["createdAt", ({ createdAt }) => createdAt],
          ]}
          linesOf={(row) => [row]}
        />
      </div>
      <List
        label={words.triggers}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/workflows/triggers/$id", params: { id } })}
        empty={
          search.name === undefined ? (
            <Empty title={words.triggersPage.none}>
              {may("orchestration:write") ? <NewTrigger /> : null}
            </Empty>
          ) : (
            <Empty title={partWords().filter.nothingFits} />
          )
        }
      />
    </>
  );
}

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
      width: 190,
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

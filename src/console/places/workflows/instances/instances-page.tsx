import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { instanceColumns } from "./columns.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import {
  type Instance,
  instancesQuery,
  workflowsQuery,
} from "#console/places/workflows/queries.ts";
import { instancesRequests } from "#console/places/workflows/requests.ts";
import { isState, STATES } from "#console/places/workflows/stages.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** The instances of all workflows, newest first. */
export function InstancesPage() {
  const words = workflowWords();
  const search = useSearch({ from: "/workflows/instances" });
  const navigate = useNavigate();
  const columns = useMemo(() => instanceColumns(), []);
  const fields = useFields();
  const values = valuesIn(search, fields);
  const { workflow, status } = search;
  const filter = { workflowID: workflow, status: isState(status) ? status : undefined };
  return (
    <ListPage
      label={words.instances}
      query={instancesQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/workflows/instances/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/workflows/instances", search: next, replace: true }),
      }}
      code={instancesRequests(filter)}
      csv={{ name: "instances", columns: CSV, linesOf: oneLine }}
      none={words.noInstances}
      begin={
        <Link to="/workflows" className="rounded-sm text-accent hover:underline">
          {words.title}
        </Link>
      }
    />
  );
}

const CSV: readonly CsvColumn<Instance>[] = [
  ["id", ({ id }) => id],
  ["workflowID", ({ workflowID }) => workflowID],
  ["workflow", ({ workflow }) => workflow?.config.name],
  ["state", ({ state }) => state],
  ["error", ({ error }) => error],
  ["hold", ({ hold }) => hold?.reason],
  ["createdAt", ({ createdAt }) => createdAt],
  ["terminatedAt", ({ terminatedAt }) => terminatedAt],
];

/** The filters of the list. Workflows are chosen from the newest ones; the id of another one may be typed. */
function useFields(): readonly FilterField[] {
  const { data } = useInfiniteQuery(workflowsQuery());
  return useMemo(() => {
    const words = workflowWords();
    const workflows = data?.pages.flatMap(({ rows }) => rows) ?? [];
    return [
      {
        id: "status",
        label: words.fields.status,
        example: "waiting",
        choices: STATES.map((state) => ({ value: state, label: words.states[state] })),
      },
      {
        id: "workflow",
        label: words.fields.workflow,
        example: "settle-order",
        choices: workflows.map(({ id, config }) => ({
          value: id,
          label: config.name === "" ? id : config.name,
        })),
        accepts: (text) => UUID.test(text),
      },
    ];
  }, [data]);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

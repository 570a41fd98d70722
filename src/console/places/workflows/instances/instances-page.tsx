import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { instanceColumns } from "./columns.tsx";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";
import { instancesQuery, workflowsQuery } from "#console/places/workflows/queries.ts";
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
  const query = instancesQuery(filter);
  const isFiltered = Object.keys(values).length > 0;
  return (
    <>
      <div className="flex items-center gap-2 px-6 py-2 max-sm:px-4">
        <FilterBar
          fields={fields}
          values={values}
          onChange={(next) =>
            void navigate({ to: "/workflows/instances", search: next, replace: true })
          }
        />
        <AsCode requests={instancesRequests(filter)} />
        <CsvButton
          file="instances"
          query={query}
          columns={[
            ["id", ({ id }) => id],
            ["workflowID", ({ workflowID }) => workflowID],
            ["workflow", (row) => row.workflow?.config.name],
            ["state", ({ state }) => state],
            ["error", ({ error }) => error],
            ["hold", ({ hold }) => hold?.reason],
            ["createdAt", ({ createdAt }) => createdAt],
            ["terminatedAt", ({ terminatedAt }) => terminatedAt],
          ]}
          linesOf={(row) => [row]}
        />
      </div>
      <List
        label={words.instances}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/workflows/instances/$id", params: { id } })}
        empty={<Empty title={isFiltered ? partWords().filter.nothingFits : words.noInstances} />}
      />
    </>
  );
}

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

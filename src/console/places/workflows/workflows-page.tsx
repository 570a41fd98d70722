import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewWorkflow } from "./new-workflow.tsx";
import { type Workflow, workflowsQuery } from "./queries.ts";
import { workflowsRequests } from "./requests.ts";
import { COUNTED, StateCount, StateFigures } from "./state-counts.tsx";
import { workflowWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";

/** All workflows, with how many of their instances run, wait, are stuck and have failed. */
export function WorkflowsPage() {
  const words = workflowWords();
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  return (
    <ListPage
      figures={<StateFigures />}
      label={words.title}
      query={workflowsQuery()}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/workflows/$id", params: { id } })}
      code={workflowsRequests()}
      csv={{ name: "workflows", columns: CSV, linesOf: oneLine }}
      create={may("orchestration:write") ? <NewWorkflow /> : null}
      none={words.none}
    />
  );
}

const CSV: readonly CsvColumn<Workflow>[] = [
  ["id", ({ id }) => id],
  ["name", ({ config }) => config.name],
  ["stages", ({ config }) => config.stages.length],
  ["createdAt", ({ createdAt }) => createdAt],
];

/** The name of a workflow, which may be empty. */
export const WorkflowName = ({ workflow }: { readonly workflow: Pick<Workflow, "config"> }) =>
  workflow.config.name === "" ? (
    <span className="text-muted">{workflowWords().nameless}</span>
  ) : (
    <Foreign>{workflow.config.name}</Foreign>
  );

function columnsOf(): readonly Column<Workflow>[] {
  const words = workflowWords().columns;
  return [
    {
      id: "name",
      header: words.name,
      width: 180,
      grow: 1,
      cell: (row) => (
        <span className="font-medium">
          <WorkflowName workflow={row} />
        </span>
      ),
      phone: "main",
    },
    {
      id: "stages",
      header: words.stages,
      width: 70,
      rank: 2,
      isNumber: true,
      cell: ({ config }) => formatCount(config.stages.length),
    },
    ...COUNTED.map((state): Column<Workflow> => ({
      id: state,
      header: words[state],
      width: 86,
      isNumber: true,
      rank: state === "running" ? 3 : 0,
      cell: ({ id }) => <StateCount workflow={id} state={state} />,
      phone: "end",
    })),
    {
      id: "created",
      header: words.created,
      width: 144,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "note",
    },
  ];
}

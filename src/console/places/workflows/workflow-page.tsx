import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { workflowsCrumb } from "./crumbs.tsx";
import { DefinitionView } from "./definition.tsx";
import { Diagram } from "./diagram.tsx";
import { columnsOfOneWorkflow } from "./instances/columns.tsx";
import { NewVersion } from "./new-workflow.tsx";
import { instancesQuery, ORCHESTRATION_KEY, type Workflow, workflowQuery } from "./queries.ts";
import { workflowRequests } from "./requests.ts";
import { RunWorkflow } from "./run-workflow.tsx";
import { StageList } from "./stage-list.tsx";
import { stageViews } from "./stages.ts";
import { StateFigures } from "./state-counts.tsx";
import { workflowWords } from "./words.ts";
import { florin, may } from "#console/api/florin.ts";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

const RECENT_MAX = 8;

/** A workflow: its stages as a picture and a list, its instances, its definition. */
export function WorkflowPage() {
  const words = workflowWords();
  const { id } = useParams({ from: "/workflows/$id" });
  const { data, error, refetch } = useQuery(workflowQuery(id));
  const name = data === undefined ? words.workflow : data.config.name || words.nameless;
  return (
    <>
      <PageTitle
        crumbs={[workflowsCrumb()]}
        title={visible(name)}
        actions={
          <>
            <AsCode requests={workflowRequests(id)} />
            {data !== undefined && may("orchestration:write") && <Actions workflow={data} />}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details workflow={data} />}
      </div>
    </>
  );
}

function Actions({ workflow }: { readonly workflow: Workflow }) {
  return (
    <>
      {workflow.deletedAt === undefined && <DeleteWorkflow id={workflow.id} />}
      <NewVersion workflow={workflow} />
      <RunWorkflow workflow={workflow} />
    </>
  );
}

function DeleteWorkflow({ id }: { readonly id: string }) {
  const words = workflowWords().remove;
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={{
        remove: words.open,
        removeTitle: words.title,
        removeText: words.text,
        removeSubmit: words.submit,
      }}
      remove={(call) =>
        florin.delete("/api/orchestration/v2/workflows/{flowId}", { path: { flowId: id } }, call)
      }
      refresh={[ORCHESTRATION_KEY]}
      onDone={() => navigate({ to: "/workflows" })}
    />
  );
}

function Details({ workflow }: { readonly workflow: Workflow }) {
  const words = workflowWords();
  const { id, config, createdAt, deletedAt } = workflow;
  const stages = useMemo(() => stageViews(config.stages), [config]);
  return (
    <div className="max-w-6xl py-6 max-sm:py-4">
      <div className="px-6 pb-4 max-sm:px-4">
        {deletedAt === undefined ? (
          <StateFigures workflow={id} />
        ) : (
          <Status tone="warn">{words.detail.deletedNote}</Status>
        )}
      </div>
      <div className="px-6 max-sm:px-4">
        <Diagram stages={stages} />
        <div className="mt-8 grid gap-8 lg:grid-cols-2">
          <div className="min-w-0">
            <Section title={words.detail.stages}>
              <StageList stages={stages} />
            </Section>
          </div>
          <div className="min-w-0">
            <DefinitionView config={config} />
          </div>
        </div>
        <Section
          title={words.instances}
          actions={
            <Link
              to="/workflows/instances"
              search={{ workflow: id }}
              className="text-accent hover:underline"
            >
              {words.detail.showInstances}
            </Link>
          }
        >
          <Recent workflow={id} />
        </Section>
        <div className="mt-8">
          <Facts>
            <Fact name={words.detail.id}>
              <span className="inline-flex items-center gap-1 font-mono text-note">
                {id}
                <CopyButton value={id} what={words.detail.id} />
              </span>
            </Fact>
            <Fact name={words.detail.created}>
              <Moment at={createdAt} isWhole />
            </Fact>
            {deletedAt !== undefined && (
              <Fact name={words.detail.deleted}>
                <Moment at={deletedAt} isWhole />
              </Fact>
            )}
          </Facts>
        </div>
      </div>
    </div>
  );
}

/** The last instances of the workflow. */
function Recent({ workflow }: { readonly workflow: string }) {
  const words = workflowWords();
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOfOneWorkflow(), []);
  const { data, error, refetch } = useInfiniteQuery(
    instancesQuery({ workflowID: workflow, status: undefined }),
  );
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const rows = data.pages[0]?.rows.slice(0, RECENT_MAX) ?? [];
  if (rows.length === 0) return <p className="text-muted">{words.detail.noInstances}</p>;
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <DataTable
        label={words.instances}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/workflows/instances/$id", params: { id } })}
      />
    </div>
  );
}

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { InstanceActions } from "./actions.tsx";
import { State } from "./columns.tsx";
import { Course } from "./course.tsx";
import { Happened } from "./happened.tsx";
import { HoldNote } from "./hold-note.tsx";
import { ObjectLink } from "./object-link.tsx";
import { objectsOf } from "./spans.ts";
import { may } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import type { Tone } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { locale } from "#console/parts/language/words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment as When } from "#console/parts/time/moment.tsx";
import { instancesCrumb } from "#console/places/workflows/crumbs.tsx";
import { Diagram } from "#console/places/workflows/diagram.tsx";
import {
  type Instance,
  instanceQuery,
  type Moment,
  stagesQuery,
  timelineQuery,
} from "#console/places/workflows/queries.ts";
import { instanceRequests } from "#console/places/workflows/requests.ts";
import { executedViews } from "#console/places/workflows/stages.ts";
import { workflowWords } from "#console/places/workflows/words.ts";
import { WorkflowName } from "#console/places/workflows/workflows-page.tsx";

/** An instance: how it is, what it waits for, its stages over time, and what it has touched. It is live until it has ended. */
export function InstancePage() {
  const words = workflowWords();
  const { id } = useParams({ from: "/workflows/instances/$id" });
  const { data, error, refetch } = useQuery(instanceQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[instancesCrumb()]}
        title={`${words.instance} ${id.slice(0, 8)}`}
        actions={
          data === undefined ? undefined : (
            <>
              <AsCode requests={instanceRequests(id)} />
              {!data.terminated && <Live isConnected={error === null} />}
              {may("orchestration:write") && <InstanceActions instance={data} />}
            </>
          )
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details instance={data} />}
      </div>
    </>
  );
}

/** Says that the page follows the instance. */
function Live({ isConnected }: { readonly isConnected: boolean }) {
  const words = workflowWords().instancePage;
  return (
    <span className="inline-flex items-center gap-1.5 text-note text-muted">
      <span
        aria-hidden
        className={`size-2 rounded-full ${isConnected ? "bg-good motion-safe:animate-pulse" : "bg-warn"}`}
      />
      {isConnected ? words.live : words.paused}
    </span>
  );
}

function Details({ instance }: { readonly instance: Instance }) {
  const words = workflowWords();
  const { workflow, error, status } = instance;
  const {
    data,
    error: failure,
    fetchNextPage,
    hasNextPage,
  } = useInfiniteQuery({ ...timelineQuery(instance), placeholderData: (before) => before });
  const moments = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const { data: executed } = useQuery({
    ...stagesQuery(instance),
    placeholderData: (before) => before,
  });
  const count = status?.length ?? 0;
  const stages = useMemo(
    () => executedViews(workflow?.config.stages ?? [], executed ?? [], count),
    [workflow, executed, count],
  );
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <Header instance={instance} />
      <HoldNote hold={instance.hold} error={error} />
      <div className="mt-8">
        <Section title={words.instancePage.course}>
          <Course instance={instance} moments={moments} stages={stages} />
        </Section>
      </div>
      {failure !== null && <Failure error={failure} />}
      <div className="mt-8 grid gap-8 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          <Section title={words.instancePage.happened}>
            <Happened moments={moments} stages={stages} />
            {hasNextPage && (
              <Button className="mt-4" onClick={() => void fetchNextPage()}>
                {words.instancePage.more}
              </Button>
            )}
          </Section>
        </div>
        <div className="min-w-0">
          <Touched moments={moments} />
        </div>
      </div>
      <div className="mt-8">
        <Section title={words.detail.diagram}>
          <Diagram stages={stages} tones={useTones(instance)} />
        </Section>
      </div>
    </div>
  );
}

function Header({ instance }: { readonly instance: Instance }) {
  const words = workflowWords();
  const { id, workflow, workflowID, createdAt, terminatedAt } = instance;
  return (
    <div className="grid gap-x-10 gap-y-2 lg:grid-cols-2">
      <Facts>
        <Fact name={words.columns.status}>
          <State instance={instance} />
        </Fact>
        <Fact name={words.instancePage.workflow}>
          <Link
            to="/workflows/$id"
            params={{ id: workflowID }}
            className="text-accent hover:underline"
          >
            {workflow === undefined ? workflowID : <WorkflowName workflow={workflow} />}
          </Link>
        </Fact>
        <Fact name={words.columns.id}>
          <span className="inline-flex items-center gap-1 font-mono text-note">
            <span className="foreign">{id}</span>
            <CopyButton value={id} what={words.columns.id} />
          </span>
        </Fact>
      </Facts>
      <Facts>
        <Fact name={words.instancePage.started}>
          <When at={createdAt} isWhole />
        </Fact>
        {terminatedAt !== undefined && (
          <>
            <Fact name={words.instancePage.ended}>
              <When at={terminatedAt} isWhole />
            </Fact>
            <Fact name={words.instancePage.took}>
              {formatDuration(Date.parse(terminatedAt) - Date.parse(createdAt), locale)}
            </Fact>
          </>
        )}
      </Facts>
    </div>
  );
}

/** The objects that the instance has made, changed or read. */
function Touched({ moments }: { readonly moments: readonly Moment[] }) {
  const words = workflowWords().instancePage;
  const objects = useMemo(() => objectsOf(moments), [moments]);
  return (
    <Section title={words.links}>
      {objects.length === 0 && <p className="text-muted">{words.noLinks}</p>}
      <ul className="space-y-1.5">
        {objects.map((link) => (
          <li key={`${link.kind} ${link.id}`}>
            <ObjectLink link={link} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** How each stage is that the instance has come to, by its place in the workflow. */
function useTones({ status, state }: Instance): ReadonlyMap<number, Tone> {
  return useMemo(
    () =>
      new Map(
        (status ?? []).map(({ stage, terminatedAt, error }): [number, Tone] => {
          if (error !== undefined) return [stage, "bad"];
          if (terminatedAt !== undefined) return [stage, "good"];
          return [stage, state === "stuck" ? "warn" : state === "waiting" ? "waits" : "neutral"];
        }),
      ),
    [status, state],
  );
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { type Span, spansOf } from "./spans.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { Gantt, type GanttRow } from "#console/parts/charts/gantt.tsx";
import { locale } from "#console/parts/language/words.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import {
  activitiesQuery,
  type Activity,
  type Instance,
  LIVE_MS,
  type Moment,
} from "#console/places/workflows/queries.ts";
import type { StageView } from "#console/places/workflows/stages.ts";
import { withoutTwins } from "#console/places/workflows/values.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** The stages and activities of an instance over time. A click on a stage shows what it asked for. */
export function Course({
  instance,
  moments,
  stages,
}: {
  readonly instance: Instance;
  readonly moments: readonly Moment[];
  readonly stages: readonly StageView[];
}) {
  const words = workflowWords().instancePage;
  const nowMs = useNow(!instance.terminated);
  const spans = useMemo(() => spansOf(moments), [moments]);
  const { stage: open } = useSearch({ from: "/workflows/instances/$id" });
  if (spans.length === 0) return <LoadingRows rows={2} />;
  return (
    <>
      <Gantt
        label={words.courseLabel}
        rows={spans.map((span) => toRow(span, stages, open))}
        nowMs={nowMs}
        openWord={words.open}
      />
      {open !== undefined && /^\d+$/.test(open) && (
        <StageDetails instance={instance} stage={Number(open)} stages={stages} />
      )}
    </>
  );
}

function toRow(span: Span, stages: readonly StageView[], open: string | undefined): GanttRow {
  const words = workflowWords();
  const { id, stage, activity, fromMs, toMs, tone, isWait, failures } = span;
  const attempts = toMs === undefined ? failures : failures + 1;
  const note = attempts < 2 ? undefined : words.instancePage.attempt(formatCount(attempts));
  return {
    id,
    depth: activity === undefined ? 0 : 1,
    bar: { fromMs, toMs, tone, isWait },
    note,
    label:
      activity === undefined ? (
        <StageButton number={stage} stages={stages} isOpen={open === String(stage)} />
      ) : (
        (words.activities[activity] ?? activity)
      ),
  };
}

function StageButton({
  number,
  stages,
  isOpen,
}: {
  readonly number: number;
  readonly stages: readonly StageView[];
  readonly isOpen: boolean;
}) {
  const navigate = useNavigate({ from: "/workflows/instances/$id" });
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() =>
        void navigate({ search: isOpen ? {} : { stage: String(number) }, replace: true })
      }
      className={`max-w-full truncate text-left hover:underline ${isOpen ? "text-accent" : ""}`}
    >
      <StageTitle number={number} stages={stages} />
    </button>
  );
}

/** A stage by its number and what it does. */
export const StageTitle = ({
  number,
  stages,
}: {
  readonly number: number;
  readonly stages: readonly StageView[];
}) => (
  <Foreign>
    {workflowWords().instancePage.stage(String(number + 1), stages[number]?.title ?? "")}
  </Foreign>
);

/** What a stage has asked other modules for, and what they answered. */
function StageDetails({
  instance,
  stage,
  stages,
}: {
  readonly instance: Instance;
  readonly stage: number;
  readonly stages: readonly StageView[];
}) {
  const words = workflowWords().instancePage;
  const { data, error, refetch } = useQuery({
    ...activitiesQuery(instance, stage),
    placeholderData: (before) => before,
  });
  return (
    <section aria-label={words.details} className="mt-4 rounded-md border border-line p-4">
      <h3 className="mb-3 font-semibold">
        <StageTitle number={stage} stages={stages} />
      </h3>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data?.length === 0 && <p className="text-muted">{words.noActivities}</p>}
      <ol className="space-y-5">
        {data?.map((activity) => (
          <li key={`${activity.name} ${activity.startedAt}`}>
            <ActivityDetails activity={activity} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function ActivityDetails({ activity }: { readonly activity: Activity }) {
  const words = workflowWords();
  const { name, input, output, error, lastFailure, startedAt, terminatedAt } = activity;
  const problem = error ?? lastFailure;
  return (
    <>
      <p className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{words.activities[name] ?? name}</span>
        {terminatedAt !== undefined && (
          <span className="text-note text-muted">
            {formatDuration(Date.parse(terminatedAt) - Date.parse(startedAt), locale)}
          </span>
        )}
      </p>
      {problem !== undefined && (
        <p className="mb-2">
          <Status tone={error === undefined ? "warn" : "bad"}>
            {error === undefined ? words.hold.lastFailure : words.states.failed}
          </Status>{" "}
          <Foreign>{problem}</Foreign>
        </p>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="min-w-0">
          <p className="mb-1 text-note text-muted">{words.instancePage.input}</p>
          <JsonView value={withoutTwins(input[name] ?? input)} />
        </div>
        {output !== undefined && (
          <div className="min-w-0">
            <p className="mb-1 text-note text-muted">{words.instancePage.output}</p>
            <JsonView value={output[name] ?? output} />
          </div>
        )}
      </div>
    </>
  );
}

/** The time, which goes on while something runs. */
function useNow(isRunning: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), LIVE_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return nowMs;
}

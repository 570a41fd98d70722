import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type ScheduleRun, runsQuery, type Schedule } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { locale } from "#console/parts/language/words.ts";
import { type TimelineEntry, Timeline } from "#console/parts/layout/timeline.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { connectorStatus } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** Runs of a schedule that are shown. */
const RUNS_MAX = 10;

/** What a connector reads, when it did and will, and, for the chosen schedule, its last runs. */
export function Schedules({
  id,
  schedules,
}: {
  readonly id: string;
  readonly schedules: readonly Schedule[];
}) {
  const words = paymentWords().connectors;
  const columns = useMemo(() => columnsOf(), []);
  const [chosen, setChosen] = useState<Schedule>();
  if (schedules.length === 0) return <Empty title={words.noSchedules} />;
  return (
    <>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable
          label={words.schedules}
          columns={columns}
          rows={schedules}
          idOf={({ scheduleID }) => scheduleID}
          openId={chosen?.scheduleID}
          onOpen={(schedule) =>
            setChosen(schedule.scheduleID === chosen?.scheduleID ? undefined : schedule)
          }
        />
      </div>
      {chosen === undefined ? (
        <p className="mt-2 text-note text-muted">{words.chooseSchedule}</p>
      ) : (
        <div className="mt-4">
          <h3 className="mb-3 font-medium">{words.runsOf(taskName(chosen.task))}</h3>
          <Runs key={chosen.scheduleID} id={id} scheduleId={chosen.scheduleID} />
        </div>
      )}
    </>
  );
}

function Runs({ id, scheduleId }: { readonly id: string; readonly scheduleId: string }) {
  const words = paymentWords().connectors;
  const { data, error, refetch } = useInfiniteQuery(runsQuery(id, scheduleId));
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={3} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  const runs = data.pages[0]?.rows.slice(0, RUNS_MAX) ?? [];
  if (runs.length === 0) return <p className="text-muted">{words.noRuns}</p>;
  return <Timeline entries={runs.map(toEntry)} />;
}

function toEntry({ id, createdAt, terminated, terminatedAt, error }: ScheduleRun): TimelineEntry {
  const words = paymentWords().connectors.run;
  const tone = terminated ? (error === undefined ? "good" : "bad") : "waits";
  return {
    id,
    at: createdAt,
    tone,
    title: terminated ? (error === undefined ? words.succeeded : words.failed) : words.running,
    note:
      error === undefined ? (
        terminatedAt === undefined ? undefined : (
          formatDuration(Date.parse(terminatedAt) - Date.parse(createdAt), locale)
        )
      ) : (
        <Foreign>{error}</Foreign>
      ),
  };
}

/** What a task fetches, in words; the task's own name for one that has none. */
function taskName(task: string): string {
  const names: Readonly<Record<string, string>> = paymentWords().tasks;
  return names[task] ?? task;
}

function columnsOf(): readonly Column<Schedule>[] {
  const words = paymentWords().connectors;
  return [
    {
      id: "task",
      header: words.reads,
      width: 130,
      grow: 1,
      cell: ({ task }) => <span className="font-medium">{taskName(task)}</span>,
      phone: "main",
    },
    {
      id: "state",
      header: words.state,
      width: 120,
      cell: (row) => <State row={row} />,
      phone: "end",
    },
    {
      id: "error",
      header: words.lastError,
      width: 140,
      grow: 2,
      rank: 2,
      cell: ({ lastError = "", health }) => (
        <span className="text-muted">
          <Foreign>{health === "healthy" ? "" : lastError}</Foreign>
        </span>
      ),
      phone: "note",
    },
    {
      id: "items",
      header: words.items,
      width: 90,
      rank: 3,
      isNumber: true,
      cell: ({ itemsOfThisRun, itemsOfLastRun }) => {
        const items = itemsOfThisRun ?? itemsOfLastRun;
        return items === undefined ? null : formatCount(items);
      },
    },
    {
      id: "last",
      header: words.lastSuccess,
      width: 120,
      rank: 1,
      isNumber: true,
      cell: ({ lastSuccessAt }) =>
        lastSuccessAt === undefined ? (
          <span className="text-faint">{words.never}</span>
        ) : (
          <Moment at={lastSuccessAt} />
        ),
    },
    {
      id: "next",
      header: words.nextRun,
      width: 120,
      rank: 1,
      isNumber: true,
      cell: ({ nextRunAt, status }) =>
        status === "running" ? (
          <span className="text-muted">{words.run.running}</span>
        ) : nextRunAt === undefined ? null : (
          <Moment at={nextRunAt} />
        ),
    },
  ];
}

const State = ({ row: { health, failedRuns } }: { readonly row: Schedule }) => (
  <span className="inline-flex items-center gap-1.5 align-top">
    <Status {...connectorStatus(health)} />
    {failedRuns > 1 && (
      <span
        className="text-note text-faint"
        title={paymentWords().connectors.failedRuns(formatCount(failedRuns))}
      >
        ×{formatCount(failedRuns)}
      </span>
    )}
  </span>
);

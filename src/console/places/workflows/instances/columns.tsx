import { Foreign } from "#console/parts/base/address.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { locale } from "#console/parts/language/words.ts";
import type { Column } from "#console/parts/table/types.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { type Instance } from "#console/places/workflows/queries.ts";
import { toneOf } from "#console/places/workflows/stages.ts";
import { workflowWords } from "#console/places/workflows/words.ts";
import { WorkflowName } from "#console/places/workflows/workflows-page.tsx";

export function instanceColumns(): readonly Column<Instance>[] {
  const words = workflowWords().columns;
  return [
    {
      id: "status",
      header: words.status,
      width: 110,
      cell: (row) => <State instance={row} />,
      phone: "end",
    },
    {
      id: "workflow",
      header: words.workflow,
      width: 150,
      grow: 0.7,
      cell: ({ workflow }) =>
        workflow === undefined ? null : <WorkflowName workflow={workflow} />,
      phone: "main",
    },
    {
      id: "why",
      header: words.why,
      width: 180,
      grow: 1,
      cell: (row) => (
        <span className="text-muted">
          <Why instance={row} />
        </span>
      ),
      phone: "note",
    },
    {
      id: "id",
      header: words.id,
      width: 90,
      rank: 2,
      cell: ({ id }) => <span className="font-mono text-note text-faint">{id.slice(0, 8)}</span>,
    },
    {
      id: "duration",
      header: words.duration,
      width: 90,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt, terminatedAt }) =>
        terminatedAt === undefined
          ? null
          : formatDuration(Date.parse(terminatedAt) - Date.parse(createdAt), locale),
    },
    {
      id: "started",
      header: words.started,
      width: 136,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "note",
    },
  ];
}

/** The columns for instances of one workflow, which is not named again: on a phone, the id stands in its place. */
export const columnsOfOneWorkflow = (): readonly Column<Instance>[] =>
  instanceColumns()
    .filter(({ id }) => id !== "workflow")
    .map((column) => (column.id === "id" ? { ...column, phone: "main" } : column));

/** The state of an instance. */
export const State = ({ instance: { state = "running" } }: { readonly instance: Instance }) => (
  <Status tone={toneOf(state)}>{workflowWords().states[state]}</Status>
);

/** What an instance waits for, or why it has failed, in one line. */
function Why({ instance: { error, hold } }: { readonly instance: Instance }) {
  const words = workflowWords();
  if (error === "canceled") return words.instancePage.aborted;
  if (error !== undefined) return <Foreign>{error}</Foreign>;
  if (hold === undefined) return null;
  if (hold.event !== undefined) return words.hold.event(hold.event);
  if (hold.lastFailure !== undefined) return <Foreign>{hold.lastFailure}</Foreign>;
  if (hold.until === undefined) return <Foreign>{hold.reason}</Foreign>;
  return (
    <>
      {words.hold.until} <Moment at={hold.until} />
    </>
  );
}

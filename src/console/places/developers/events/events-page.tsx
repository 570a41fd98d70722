import { useNavigate, useSearch } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { EventOrigin } from "./event-origin.tsx";
import { ROWS_MAX, type TailRow, type TailState } from "./tail.ts";
import { useTail } from "./use-tail.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Empty, Failure } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListFrame } from "#console/parts/lists/list-page.tsx";
import { LiveStatus } from "#console/parts/live/live-status.tsx";
import { NewRowsButton } from "#console/parts/live/new-rows.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { developerWords } from "#console/places/developers/words.ts";

/** Events as they happen, newest first. While somebody reads the list, new ones wait behind a button. */
export function EventsPage() {
  const words = developerWords().events;
  const search = useSearch({ from: "/developers/events" });
  const navigate = useNavigate();
  const fields = useMemo(() => fieldsOf(), []);
  const columns = useMemo(() => columnsOf(), []);
  const values = valuesIn(search, fields);
  const [openRow, setOpenRow] = useState<TailRow>();
  const [isPaused, setPaused] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const filter = { types: values["types"], ledger: values["ledger"] };
  const tail = useTail(filter, { isPaused, isHeld: isHeld || openRow !== undefined });
  const { showWaiting } = tail;
  const show = (next: FilterValues): void =>
    void navigate({ to: "/developers/events", search: next, replace: true });
  const close = useCallback(() => {
    setOpenRow(undefined);
    showWaiting();
  }, [setOpenRow, showWaiting]);
  return (
    <ListFrame
      filters={{ fields, values, onChange: show }}
      actions={
        <>
          <LiveState state={tail.state} lastMs={tail.lastMs} isPaused={isPaused} />
          <Button onClick={() => setPaused(!isPaused)}>
            {isPaused ? <Play aria-hidden size={14} /> : <Pause aria-hidden size={14} />}
            {isPaused ? words.resume : words.pause}
          </Button>
        </>
      }
      panel={
        openRow !== undefined && (
          <Panel title={openRow.gap === undefined ? openRow.type : words.gap} onClose={close}>
            <EventView row={openRow} />
          </Panel>
        )
      }
    >
      {tail.state.kind === "refused" && <Failure error={tail.state.error} title={words.failed} />}
      {tail.rows.length === 0 && tail.state.kind !== "refused" && <Empty title={words.none} />}
      <NewRowsButton
        news={{ count: tail.waiting, isMore: tail.waiting === ROWS_MAX, show: showWaiting }}
        onShow={showWaiting}
      />
      {tail.rows.length > 0 && (
        <Held onHold={setHeld} onRelease={openRow === undefined ? showWaiting : noRelease}>
          <DataTable
            label={words.title}
            columns={columns}
            rows={tail.rows}
            idOf={({ key }) => key}
            openId={openRow?.key}
            onOpen={setOpenRow}
          />
        </Held>
      )}
    </ListFrame>
  );
}

/** Keeps waiting rows back while an event is open. */
const noRelease = (): void => undefined;

/** A list whose rows must not move while the pointer or the focus is on it. */
function Held({
  onHold,
  onRelease,
  children,
}: {
  readonly onHold: (isHeld: boolean) => void;
  readonly onRelease: () => void;
  readonly children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const release = (): void => {
    if (list.current?.matches(":hover, :focus-within") === true) return;
    onHold(false);
    onRelease();
  };
  return (
    <div
      ref={list}
      className="flex min-h-0 flex-1 flex-col"
      onPointerEnter={() => onHold(true)}
      onPointerLeave={release}
      onFocus={() => onHold(true)}
      onBlur={() => requestAnimationFrame(release)}
    >
      {children}
    </div>
  );
}

function LiveState({
  state,
  lastMs,
  isPaused,
}: {
  readonly state: TailState;
  readonly lastMs: number | undefined;
  readonly isPaused: boolean;
}) {
  const words = developerWords().events;
  if (!isPaused && state.kind === "live") return <Status tone="good">{words.live}</Status>;
  if (!isPaused && state.kind === "connecting" && lastMs === undefined) {
    return <Status tone="waits">{words.connecting}</Status>;
  }
  return <LiveStatus state={{ isLive: false, lastMs }} />;
}

function EventView({ row: { at, type, body, gap } }: { readonly row: TailRow }) {
  const words = developerWords().events;
  if (gap !== undefined) {
    return (
      <>
        <p>{words.gapHint}</p>
        <p className="mt-2 text-muted">
          <Foreign>{gap}</Foreign>
        </p>
      </>
    );
  }
  return (
    <>
      <Facts>
        <Fact name={words.type}>
          <span className="font-mono text-note">
            <Foreign>{type}</Foreign>
          </span>
        </Fact>
        <Fact name={words.when}>
          <Moment at={at} isWhole />
        </Fact>
        <EventOrigin body={body} />
      </Facts>
      <Section title={words.body}>
        <JsonView value={body} />
      </Section>
    </>
  );
}

const TYPES = /^(?:\*|[a-z0-9_-]+\.\*|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+)$/;
const MODULES = ["ledger.*", "payments.*", "orchestration.*", "webhooks.*"];

function fieldsOf(): readonly FilterField[] {
  const words = developerWords().events;
  return [
    {
      id: "types",
      label: words.type,
      example: "ledger.*",
      choices: MODULES.map((value) => ({ value, label: value })),
      accepts: (text) => text.split(",").every((type) => TYPES.test(type.trim())),
    },
    { id: "ledger", label: words.ledger, example: "main" },
  ];
}

function columnsOf(): readonly Column<TailRow>[] {
  const words = developerWords().events;
  return [
    {
      id: "when",
      header: words.when,
      width: 124,
      cell: ({ at }) => <Moment at={at} />,
      phone: "note",
    },
    {
      id: "type",
      header: words.type,
      width: 180,
      grow: 1,
      cell: ({ type, gap }) =>
        gap === undefined ? (
          <span className="font-mono text-note">
            <Foreign>{type}</Foreign>
          </span>
        ) : (
          <Status tone="warn">{words.gap}</Status>
        ),
      phone: "main",
    },
    {
      id: "ledger",
      header: words.ledger,
      width: 140,
      grow: 0.7,
      rank: 1,
      cell: ({ ledger }) =>
        ledger === undefined ? null : (
          <span className="text-muted">
            <Foreign>{ledger}</Foreign>
          </span>
        ),
      phone: "note",
    },
  ];
}

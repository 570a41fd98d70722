import {
  createColumnHelper,
  type Row as TableRow,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { doFit, fitColumns } from "./fit-columns.ts";
import { HeaderRow, OneLine, TwoLines } from "./rows.tsx";
import type { Column } from "./types.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { useMediaQuery } from "#console/parts/base/media-query.ts";
import { useWidth } from "#console/parts/base/use-width.ts";
import { type NewRows, NewRowsButton } from "#console/parts/live/new-rows.tsx";
import { partWords } from "#console/parts/part-words.ts";

const FEATURES = tableFeatures({});
const ROW_PX = 36;
const TWO_LINES_PX = 60;
/** Rows before the end from which the next page is asked for. */
const AHEAD = 20;
/** Rows beyond the visible ones that are in the document. */
const OVERSCAN = 12;

export interface DataTableProps<Row> {
  /** The name of the list, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  /** The id of the row that is open in the panel. */
  readonly openId?: string | undefined;
  /** Whether more rows follow; absent for a table that is no list to its end. */
  readonly hasMore?: boolean;
  readonly onMore?: () => void;
  readonly isDimmed?: boolean;
  /** Rows that wait to be shown, behind a button or the key `n`. */
  readonly news?: NewRows | undefined;
}

/**
 * A list of rows. Only rows near the visible ones are in the document, and the next page is asked for before the end is reached. `j`, `k` and
 * the arrows move, `Enter` opens, `n` shows new rows.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, idOf, onOpen, openId } = props;
  const { hasMore, isDimmed = false, news } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const shown = useMemo(() => fitColumns(columns, width), [columns, width]);
  const hasTwoLines = useHasTwoLines(shown, width);
  const tableRows = useTableRows(shown, rows, idOf);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (hasTwoLines ? TWO_LINES_PX : ROW_PX),
    overscan: OVERSCAN,
  });
  useEffect(() => virtual.measure(), [virtual, hasTwoLines]);
  const Cells = hasTwoLines ? TwoLines<Row> : OneLine<Row>;
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useMoreRows(props, last);
  const showNews = (): void => {
    if (news === undefined || news.count === 0) return;
    news.show();
    setActive(-1);
    toTop(scroller.current);
  };
  const { active, setActive, onKeyDown } = useActiveRow(
    rows,
    { Enter: onOpen, n: showNews },
    (index) => virtual.scrollToIndex(index),
  );
  return (
    <>
      {news !== undefined && <NewRowsButton news={news} onShow={showNews} />}
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={hasMore === true ? -1 : rows.length + 1}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className={`min-h-0 flex-1 overflow-x-hidden overflow-y-auto focus-visible:-outline-offset-2 ${isDimmed ? "opacity-60" : ""}`}
      >
        {!hasTwoLines && <HeaderRow columns={shown} />}
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size }) => {
            const row = tableRows[index];
            if (row === undefined) return null;
            return (
              <RowFrame
                key={row.id}
                place={{ index, start, size }}
                isOpen={row.id === openId}
                isActive={index === active}
                onClick={() => {
                  setActive(index);
                  onOpen?.(row.original);
                }}
                canOpen={onOpen !== undefined}
              >
                <Cells columns={hasTwoLines ? columns : shown} row={row.original} />
              </RowFrame>
            );
          })}
        </div>
        {hasMore !== undefined && <Foot hasMore={hasMore} count={rows.length} />}
      </div>
    </>
  );
}

/** Whether rows have two lines: on a phone, and where a panel or a small window leaves the columns too little width. */
function useHasTwoLines<Row>(columns: readonly Column<Row>[], width: number): boolean {
  const isPhone = useMediaQuery("(width < 40rem)");
  const isMeasured = width > 0;
  return isPhone || (isMeasured && !doFit(columns, width));
}

/** Asks for the next page before the end is reached. */
function useMoreRows<Row>(
  { rows, hasMore, onMore }: Pick<DataTableProps<Row>, "rows" | "hasMore" | "onMore">,
  last: number,
): void {
  useEffect(() => {
    if (hasMore === true && last >= rows.length - AHEAD) onMore?.();
  }, [hasMore, last, rows.length, onMore]);
}

function toTop(scroller: HTMLElement | null): void {
  scroller?.scrollTo({ top: 0 });
  scroller?.focus();
}

/** The frame of a row at its place in the list. */
const RowFrame = ({
  place: { index, start, size },
  isOpen,
  isActive,
  canOpen,
  onClick,
  children,
}: {
  readonly place: { readonly index: number; readonly start: number; readonly size: number };
  readonly isOpen: boolean;
  /** Whether keys have moved to the row. */
  readonly isActive: boolean;
  readonly canOpen: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    aria-selected={isOpen}
    onClick={onClick}
    className={`absolute inset-x-0 border-b border-line px-6 max-sm:px-4 ${canOpen ? "cursor-pointer hover:bg-hover" : ""} ${isOpen ? "bg-accent-soft" : ""} ${isActive ? "shadow-[inset_2px_0_var(--color-accent)]" : ""}`}
    style={{ height: size, transform: `translateY(${start}px)` }}
  >
    {children}
  </div>
);

const Foot = ({ hasMore, count }: { readonly hasMore: boolean; readonly count: number }) => (
  <p className="px-6 py-3 text-note text-muted max-sm:px-4">
    {hasMore ? `${partWords().table.more}…` : partWords().table.end(formatCount(count))}
  </p>
);

/** The rows as the table library models them. The server sorts and filters, and so the columns do neither. */
function useTableRows<Row extends object>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  idOf: (row: Row) => string,
): readonly TableRow<typeof FEATURES, Row>[] {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof FEATURES, Row>();
    return columns.map(({ id, header }) => helper.display({ id, header }));
  }, [columns]);
  const table = useTable({ features: FEATURES, columns: definitions, data: rows, getRowId: idOf });
  return table.getRowModel().rows;
}

/** The row that keys move, beginning before the first one. */
function useActiveRow<Row>(
  rows: readonly Row[],
  actions: { readonly Enter: ((row: Row) => void) | undefined; readonly n: () => void },
  scrollTo: (index: number) => void,
) {
  const [active, setActive] = useState(-1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const row = rows[active];
    const step = STEPS[event.key];
    if (step !== undefined) {
      const next = Math.min(Math.max(active + step, 0), rows.length - 1);
      setActive(next);
      scrollTo(next);
    } else if (event.key === "Enter" && row !== undefined) {
      actions.Enter?.(row);
    } else if (event.key === "n") {
      actions.n();
    } else return;
    event.preventDefault();
  };
  return { active, setActive, onKeyDown };
}

const STEPS: Readonly<Record<string, number>> = {
  j: 1,
  k: -1,
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
};

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { Fragment, type ReactNode, useRef } from "react";
import { levelQuery, type Segment } from "./queries.ts";
import { DifferenceCell, SumCell } from "./sum-cell.tsx";
import { ADDRESS } from "./tree-keys.ts";
import { useSeen } from "./use-seen.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, useIsSlow } from "#console/parts/base/states.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** What all levels of a tree share. */
export interface TreeView {
  readonly ledger: string;
  readonly at: string | undefined;
  readonly compare: string | undefined;
  /** The asset whose sums are shown; undefined for the first one of each segment. */
  readonly asset: string | undefined;
  /** The addresses of the segments that are open. */
  readonly open: ReadonlySet<string>;
  /** The address of the row that the tab key reaches; undefined for the first one. */
  readonly current: string | undefined;
  readonly onFocus: (address: string) => void;
  readonly onToggle: (address: string, isOpen: boolean) => void;
}

const INDENT_PX = 20;

/** A level of the tree and, below its open segments, their levels. */
export function Level({
  view,
  prefix,
  depth,
}: {
  readonly view: TreeView;
  readonly prefix: string;
  /** 1 for the first level. */
  readonly depth: number;
}) {
  const words = ledgerWords().tree;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    levelQuery(view.ledger, prefix, view.at),
  );
  const isSlow = useIsSlow(data === undefined && error === null);
  const segments = data?.pages.flatMap(({ rows }) => rows) ?? [];
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  return (
    <>
      {segments.map((segment, place) => {
        const isOpen = segment.hasChildren && view.open.has(segment.address);
        const isFirst = depth === 1 && place === 0;
        return (
          <Fragment key={segment.address}>
            <SegmentRow
              view={view}
              segment={segment}
              depth={depth}
              isOpen={isOpen}
              place={place + 1}
              count={hasNextPage ? -1 : segments.length}
              isReachable={view.current === undefined ? isFirst : view.current === segment.address}
            />
            {isOpen && <Level view={view} prefix={segment.prefix} depth={depth + 1} />}
          </Fragment>
        );
      })}
      {isSlow && <Note depth={depth}>{words.loading}</Note>}
      {data !== undefined && segments.length === 0 && !hasNextPage && (
        <Note depth={depth}>{words.nothingHere}</Note>
      )}
      {hasNextPage && (
        <Note depth={depth}>
          <button
            type="button"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
            className="text-accent hover:underline"
          >
            {words.more}
          </button>
        </Note>
      )}
    </>
  );
}

function SegmentRow({
  view,
  segment,
  depth,
  isOpen,
  place,
  count,
  isReachable,
}: {
  readonly view: TreeView;
  readonly segment: Segment;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly place: number;
  readonly count: number;
  readonly isReachable: boolean;
}) {
  const row = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(row);
  const { ledger, at, compare, asset } = view;
  const { address, hasChildren, accounts } = segment;
  const sum = { ledger, address, asset };
  return (
    <div
      ref={row}
      role="row"
      aria-level={depth}
      aria-posinset={place}
      aria-setsize={count}
      {...(hasChildren ? { "aria-expanded": isOpen } : {})}
      {...{ [ADDRESS]: address }}
      tabIndex={isReachable ? 0 : -1}
      onFocus={() => view.onFocus(address)}
      onClick={() => hasChildren && view.onToggle(address, !isOpen)}
      className={`grid h-9 items-center gap-4 border-b border-line px-6 hover:bg-hover focus-visible:-outline-offset-2 max-sm:px-4 pointer-coarse:h-11 ${hasChildren ? "cursor-pointer" : ""} ${TRACKS[compare === undefined ? "single" : "compared"]}`}
    >
      <div
        role="gridcell"
        className="flex min-w-0 items-center gap-1"
        style={{ paddingLeft: (depth - 1) * INDENT_PX }}
      >
        <ChevronRight
          aria-hidden
          size={14}
          className={`shrink-0 text-faint ${isOpen ? "rotate-90" : ""} ${hasChildren ? "" : "invisible"}`}
        />
        <Name view={view} segment={segment} />
      </div>
      <div role="gridcell" className="figures text-right text-muted max-sm:hidden">
        {accounts === undefined ? "" : formatCount(accounts)}
      </div>
      {compare !== undefined && (
        <div role="gridcell" className="min-w-0 text-right text-muted max-sm:hidden">
          {isSeen && <SumCell {...sum} at={compare} />}
        </div>
      )}
      <div role="gridcell" className="min-w-0 text-right">
        {isSeen && <SumCell {...sum} at={at} />}
      </div>
      {compare !== undefined && (
        <div role="gridcell" className="min-w-0 text-right">
          {isSeen && <DifferenceCell {...sum} at={at} compare={compare} />}
        </div>
      )}
    </div>
  );
}

/** The columns of the tree, with one moment and with two. */
export const TRACKS = {
  single: "grid-cols-[minmax(0,1fr)_6rem_14rem] max-sm:grid-cols-[minmax(0,1fr)_auto]",
  compared:
    "grid-cols-[minmax(0,1fr)_5rem_10rem_10rem_10rem] max-sm:grid-cols-[minmax(0,1fr)_auto_auto]",
} as const;

/** The segment; where it is an account, a link to it. */
function Name({
  view: { ledger },
  segment: { segment, address, isAccount },
}: {
  readonly view: TreeView;
  readonly segment: Segment;
}) {
  const text = (
    <span className="foreign truncate font-mono text-note" title={address}>
      {segment}
    </span>
  );
  if (!isAccount) return text;
  return (
    <Link
      to="/ledgers/$ledger/accounts/$address"
      params={{ ledger, address }}
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
      className="flex min-w-0 rounded-sm text-accent hover:underline"
    >
      {text}
    </Link>
  );
}

const Note = ({ depth, children }: { readonly depth: number; readonly children: ReactNode }) => (
  <div
    role="row"
    className="flex h-9 items-center border-b border-line px-6 text-muted max-sm:px-4"
  >
    <div role="gridcell" style={{ paddingLeft: (depth - 1) * INDENT_PX + 18 }}>
      {children}
    </div>
  </div>
);

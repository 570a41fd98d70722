import { useCallback, useEffect, useRef, useState } from "react";
import {
  followEvents,
  keepNewest,
  type TailFilter,
  type TailPosition,
  type TailRow,
  type TailState,
} from "./tail.ts";

interface Tail {
  /** What is shown, newest first. */
  readonly rows: readonly TailRow[];
  readonly state: TailState;
  /** When the tail was last connected or got an event, in milliseconds since the epoch; undefined if it never was. */
  readonly lastMs: number | undefined;
  /** How many rows wait while the list is held. */
  readonly waiting: number;
  readonly showWaiting: () => void;
}

interface Rows {
  readonly shown: readonly TailRow[];
  readonly waiting: readonly TailRow[];
}

const NONE: Rows = { shown: [], waiting: [] };

/**
 * The newest events that fit a filter. A paused tail has no connection, and goes on behind its last event. A held one keeps what is shown,
 * and lets new rows wait. Shown and waiting rows are bounded.
 */
export function useTail(
  { types, ledger }: TailFilter,
  { isPaused, isHeld }: { readonly isPaused: boolean; readonly isHeld: boolean },
): Tail {
  const [rows, setRows] = useState(NONE);
  const [state, setState] = useState<TailState>({ kind: "connecting" });
  const [lastMs, setLastMs] = useState<number>();
  const position = useRef<TailPosition>({});
  const held = useRef(isHeld);
  const follows = useRef("");
  useEffect(() => {
    held.current = isHeld;
  }, [isHeld]);
  useEffect(() => {
    const wanted = `${types ?? ""} ${ledger ?? ""}`;
    if (follows.current !== wanted) {
      follows.current = wanted;
      position.current = {};
      setRows(NONE);
    }
    if (isPaused) return undefined;
    const controller = new AbortController();
    const onRows = (next: readonly TailRow[]): void => {
      setLastMs(Date.now());
      setRows(({ shown, waiting }) =>
        held.current
          ? { shown, waiting: keepNewest(waiting, next) }
          : release({ shown, waiting: keepNewest(waiting, next) }),
      );
    };
    const onState = (next: TailState): void => {
      if (next.kind === "live") setLastMs(Date.now());
      setState(next);
    };
    void followEvents(
      { types, ledger },
      { onRows, onState },
      { signal: controller.signal, position: position.current },
    );
    return () => controller.abort();
  }, [types, ledger, isPaused]);
  const showWaiting = useCallback(() => setRows(release), []);
  return { rows: rows.shown, state, lastMs, waiting: rows.waiting.length, showWaiting };
}

/** The rows when those that wait are shown. */
const release = (rows: Rows): Rows =>
  rows.waiting.length === 0
    ? rows
    : { shown: keepNewest(rows.shown, rows.waiting.toReversed()), waiting: [] };

import { ApiError } from "#console/api/errors.ts";
import { florin } from "#console/api/florin.ts";
import { readServerEvents, type ServerEvent } from "#console/parts/live/server-events.ts";
import { parseJson } from "#platform/json.ts";

/** A row of the tail: an event, or a place where events may be missing. */
export interface TailRow {
  readonly key: string;
  readonly at: string;
  readonly type: string;
  readonly ledger: string | undefined;
  /** The body that webhooks deliver; undefined for a gap. */
  readonly body: unknown;
  /** Why events may be missing. */
  readonly gap: string | undefined;
  /** The length of the event's text. */
  readonly size: number;
}

export interface TailFilter {
  readonly types: string | undefined;
  readonly ledger: string | undefined;
}

export type TailState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The connection is lost; the tail tries again by itself. */
  | { readonly kind: "lost"; readonly error: Error | undefined }
  /** The server refuses the request, and would refuse it again. */
  | { readonly kind: "refused"; readonly error: Error };

/** Most rows, and most characters of their events, that the tail keeps. */
export const ROWS_MAX = 500;
const CHARACTERS_MAX = 4_000_000;
/** Time between two changes of what is shown, in milliseconds. */
const FRAME_MS = 200;
const WAIT_MS = 1000;
const WAIT_MAX_MS = 30_000;
/** Time without a byte after which a connection counts as lost, in milliseconds: a comment comes every 15 seconds. */
const SILENCE_MS = 40_000;

interface Listener {
  readonly onRows: (rows: readonly TailRow[]) => void;
  readonly onState: (state: TailState) => void;
}

/** Where a tail is: the id of the last event that it has. */
export interface TailPosition {
  lastEventId?: string;
}

/** Follows the events of the deployment until `signal` aborts. After a lost connection it goes on behind the last event that it has. */
export async function followEvents(
  filter: TailFilter,
  { onRows, onState }: Listener,
  { signal, position }: { readonly signal: AbortSignal; readonly position: TailPosition },
): Promise<void> {
  let waitMs = WAIT_MS;
  while (!signal.aborted) {
    onState({ kind: "connecting" });
    let problem: Error | undefined;
    try {
      await follow(filter, {
        signal,
        position,
        onRows,
        onOpen: () => {
          waitMs = WAIT_MS;
          onState({ kind: "live" });
        },
      });
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
    }
    if (signal.aborted) return;
    if (problem instanceof ApiError && isRefusal(problem)) {
      onState({ kind: "refused", error: problem });
      return;
    }
    onState({ kind: "lost", error: problem });
    await wait(waitMs, signal);
    waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
  }
}

const isRefusal = ({ status, isTemporary }: ApiError): boolean =>
  !isTemporary && status >= 400 && status < 500;

interface Connection {
  readonly signal: AbortSignal;
  readonly position: TailPosition;
  readonly onOpen: () => void;
  readonly onRows: Listener["onRows"];
}

/** Reads a stream to its end, and gives its rows in frames. A stream that is silent counts as lost. */
async function follow(
  filter: TailFilter,
  { signal, position, onOpen, onRows }: Connection,
): Promise<void> {
  const silence = new AbortController();
  const options = { ...position, signal: AbortSignal.any([signal, silence.signal]) };
  let aliveMs = Date.now();
  let rows: TailRow[] = [];
  const flush = (): void => {
    if (rows.length > 0 && !signal.aborted) onRows(rows);
    rows = [];
  };
  const frames = setInterval(flush, FRAME_MS);
  const watch = setInterval(() => {
    if (Date.now() - aliveMs > SILENCE_MS) silence.abort();
  }, SILENCE_MS / 4);
  try {
    const response = await florin.fetch({ method: "GET", url: urlOf(filter) }, options);
    if (!response.ok || response.body === null) throw await ApiError.from(response);
    onOpen();
    for await (const event of readServerEvents(response.body, () => (aliveMs = Date.now()))) {
      if (event.id !== undefined) position.lastEventId = event.id;
      const row = rowOf(event);
      if (row === undefined) continue;
      rows.push(row);
      if (rows.length > ROWS_MAX) rows = rows.slice(-ROWS_MAX);
    }
  } finally {
    clearInterval(frames);
    clearInterval(watch);
    flush();
  }
}

function urlOf({ types, ledger }: TailFilter): string {
  const query = new URLSearchParams();
  if (types !== undefined) query.set("types", types);
  if (ledger !== undefined) query.set("ledger", ledger);
  return `/api/florin/v1/events/stream${query.size === 0 ? "" : `?${query.toString()}`}`;
}

let keys = 0;

/** The row of an event; undefined for a position without an event. */
export function rowOf({ event: name, data }: ServerEvent): TailRow | undefined {
  if (data === undefined) return undefined;
  keys += 1;
  const key = String(keys);
  const at = new Date().toISOString();
  if (name === "gap") {
    return {
      key,
      at,
      type: "gap",
      ledger: undefined,
      body: undefined,
      gap: reasonOf(data),
      size: 0,
    };
  }
  const { event } = parseJson(data) as { event: EventBody }; // The stream's lines have this form.
  return {
    key,
    at: event.date,
    type: event.type,
    ledger: event.payload?.ledger,
    body: event,
    gap: undefined,
    size: data.length,
  };
}

interface EventBody {
  readonly date: string;
  readonly type: string;
  readonly payload?: { readonly ledger?: string };
}

function reasonOf(data: string): string {
  const { reason } = parseJson(data) as { reason?: unknown };
  return typeof reason === "string" ? reason : data;
}

/** The newest rows, newest first, as many as the tail keeps. */
export function keepNewest(rows: readonly TailRow[], next: readonly TailRow[]): readonly TailRow[] {
  const all = [...next.toReversed(), ...rows];
  let size = 0;
  const end = all.slice(0, ROWS_MAX).findIndex((row) => {
    size += row.size;
    return size > CHARACTERS_MAX;
  });
  return all.slice(0, end === -1 ? ROWS_MAX : Math.max(end, 1));
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

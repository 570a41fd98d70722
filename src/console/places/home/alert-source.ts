import type { Alert } from "./alert.ts";
import type { words } from "./words.en.ts";
import type { Tone } from "#console/parts/base/status.tsx";

/** What is looked at, and by whom. */
export interface AlertSource {
  readonly kind: keyof (typeof words)["attention"]["kind"];
  readonly scope: string;
  readonly read: (context: AlertContext) => Promise<readonly Alert[]>;
}

export interface AlertContext {
  readonly ledgers: readonly string[];
  readonly signal: AbortSignal;
}

/** Rows of a list from which an alert is made. */
export const ROWS_MAX = 15;

/** An object of a list that an alert is made from. */
export interface AlertedRow {
  readonly id: string;
  readonly since: string;
  readonly note?: string | undefined;
}

/** One alert for rows of a kind, which leads to the row if it is the only one. */
export function together(
  rows: readonly AlertedRow[],
  how: {
    readonly kind: string;
    readonly tone: Tone;
    readonly hasMore: boolean;
    readonly title: (count: number, isMore: boolean) => string;
    readonly list: string;
    readonly pathOf: (row: AlertedRow) => string;
  },
): readonly Alert[] {
  const oldest = rows.toSorted((one, other) => (one.since < other.since ? -1 : 1))[0];
  if (oldest === undefined) return [];
  const { kind, tone, hasMore, title, list, pathOf } = how;
  const isOne = rows.length === 1 && !hasMore;
  return [
    {
      id: kind,
      tone,
      title: title(rows.length, hasMore),
      note: oldest.note,
      since: oldest.since,
      path: isOne ? pathOf(oldest) : list,
    },
  ];
}

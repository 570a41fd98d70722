import type { Timestamp } from "#platform/time.ts";

/** The stored members of an order or a conversion that decide what a report changes. */
export interface TradeState<Status extends string> {
  /** The time of the newest report. */
  readonly updatedAt: Timestamp;
  /** The status of the newest adjustment. */
  readonly status: Status;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface TradeReport<Status extends string> extends TradeState<Status> {
  /** Whether the trade already has an adjustment with this state. */
  readonly isKnown: boolean;
}

/**
 * Applies a report to a trade. A late report, which is older than the stored state, only adds its adjustment and
 * missing metadata. A state that is known already adds no adjustment and does not change the status.
 */
export function applyReport<Status extends string>(
  state: TradeState<Status> | undefined,
  report: TradeReport<Status>,
): { readonly state: TradeState<Status>; readonly isLate: boolean } {
  const { updatedAt, status, metadata, isKnown } = report;
  if (state === undefined) return { state: { updatedAt, status, metadata }, isLate: false };
  if (updatedAt < state.updatedAt) {
    return { state: { ...state, metadata: { ...metadata, ...state.metadata } }, isLate: true };
  }
  return {
    state: {
      updatedAt,
      status: isKnown ? state.status : status,
      metadata: { ...state.metadata, ...metadata },
    },
    isLate: false,
  };
}

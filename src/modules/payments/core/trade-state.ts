import type { Timestamp } from "#platform/time.ts";

/** What is stored of an order or a conversion, as far as it decides what a report changes. */
export interface TradeState<Status extends string> {
  /** When it became what is stored. */
  readonly updatedAt: Timestamp;
  /** That of the newest adjustment. */
  readonly status: Status;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A report of the provider. */
export interface TradeReport<Status extends string> extends TradeState<Status> {
  /** Whether this state of it was reported before. */
  readonly isKnown: boolean;
}

/**
 * What a report makes of a trade. A late report, which is older than what is stored, adds its state to the others and changes
 * nothing else but the metadata that are missing. A state that comes again is no new one, and the status is that of the
 * newest state.
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

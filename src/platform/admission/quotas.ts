import type { Principal } from "#platform/context.ts";

/** The quotas of clients. A deployment without any has no cost from them. */
export interface ClientQuotas {
  /** The use of its client's quota by one request; undefined for a client without a quota. */
  useOf(principal: Principal): QuotaUse | undefined | Promise<QuotaUse | undefined>;
}

/** The use of a client's quota by one request. Its methods take before the work, and throw `RATE_LIMITED`. */
export interface QuotaUse {
  /** Counts the request itself. Gives nothing where it is counted at once. */
  takeRequest(isWrite: boolean): Promise<void> | undefined;
  /** Counts elements of a bulk, of which all or none are let through. Gives nothing where they are counted at once. */
  takeElements(count: number): Promise<void> | undefined;
  /** Counts an element of a body that is still arriving: waits for its turn instead of refusing it. Gives nothing where it need not wait. */
  paceElement(): Promise<void> | undefined;
  /** Takes a place of an open stream. */
  openStream(): Promise<StreamPlace>;
  /** The headers `RateLimit-Policy` and `RateLimit` of the answer. */
  headers(): Readonly<Record<string, string>>;
}

/** A place among the open streams of a client. */
export interface StreamPlace {
  /** Keeps the place; called at least every minute while the stream is open. */
  keep(): void;
  /** Gives the place back. Further calls have no effect. */
  release(): void;
}

/** No client has a quota. */
export const NO_QUOTAS: ClientQuotas = { useOf: () => undefined };

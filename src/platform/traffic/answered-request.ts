import type { Rejection } from "./counts.ts";

/** A request and its answer, as it is counted. */
export interface AnsweredRequest {
  /** The module; `NO_MODULE` for a request that no operation serves. */
  readonly module: string;
  /** The id of the operation; empty for a request that no operation serves. */
  readonly operation: string;
  /** The ledger that the path names; undefined for none, and for a request without a valid token. */
  readonly ledger: string | undefined;
  /** The client of a valid token; empty without one. */
  readonly client: string;
  readonly status: number;
  /** Why the request was refused; undefined if it was not. */
  readonly rejection: Rejection | undefined;
  /** Time until the answer began, in milliseconds. */
  readonly durationMs: number;
}

/** The name of the module of requests that no operation serves, such as pages and wrong paths. */
export const NO_MODULE = "none";

import { toWire, type WireRequest } from "#console/api/client.ts";
import { pageParameters } from "#console/places/reconciliation/queries/common.ts";
import type { paths } from "#openapi";

/** The request of the first page of a list, for its code. */
export const listRequest = (path: keyof paths, filter: string | undefined): WireRequest =>
  toWire("get", path, { query: pageParameters(undefined, filter) });

/** The request that reads an object, for its code. */
export const readRequest = (
  path: keyof paths,
  parameters: Readonly<Record<string, string>>,
): WireRequest => toWire("get", path, { path: parameters });

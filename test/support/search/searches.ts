import { expect } from "vitest";
import { api, bodyOf } from "#test/support/platform/api.ts";

export const SEARCH = "/api/search/";

export interface TestHit extends Readonly<Record<string, unknown>> {
  readonly kind: string;
  readonly id?: unknown;
  readonly ledger?: string;
}

export interface TestPage {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly next: string;
  readonly previous?: string;
  readonly total: { readonly value: number; readonly relation: string };
  readonly data: readonly TestHit[];
}

/** A page of hits of one kind. */
export async function page(body: object, token?: string): Promise<TestPage> {
  const response = await api(SEARCH, { body, ...(token === undefined ? {} : { token }) });
  expect(response.status).toBe(200);
  return ((await bodyOf(response)) as { cursor: TestPage }).cursor;
}

/** The first hits of each kind. */
export async function allKinds(
  body: object,
  token?: string,
): Promise<Readonly<Record<string, readonly TestHit[]>>> {
  const response = await api(SEARCH, { body, ...(token === undefined ? {} : { token }) });
  expect(response.status).toBe(200);
  return ((await bodyOf(response)) as { data: Record<string, TestHit[]> }).data;
}

/** The code and the message of a search that is refused. */
export async function refusal(body: unknown): Promise<{ status: number; errorMessage: string }> {
  const response = await api(SEARCH, { body });
  const { errorMessage } = (await bodyOf(response)) as { errorMessage: string };
  return { status: response.status, errorMessage };
}

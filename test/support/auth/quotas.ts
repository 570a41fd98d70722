import { afterEach, beforeEach, vi } from "vitest";
import { freshClient } from "./clients.ts";
import { api } from "#test/support/platform/api.ts";
import type { Send } from "#test/support/runner/isolate.ts";

export const SCOPES = ["ledger:write", "webhooks:read"];
/** A path that a client with these scopes reads. */
export const READ = "/api/ledger/v2";

/** Stops the clock in each test of a file. Returns the function that lets time pass, in milliseconds. */
export function stoppedClock(): (ms: number) => void {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  });
  afterEach(() => vi.restoreAllMocks());
  return (ms) => {
    nowMs += ms;
  };
}

export const quotaPath = (id: string): string =>
  `/api/florin/v1/clients/${encodeURIComponent(id)}/quota`;

export const give = async (id: string, quota: object): Promise<Response> =>
  api(quotaPath(id), { method: "PUT", body: quota });

export async function quotaOf(id: string): Promise<Record<string, unknown>> {
  const response = await api(quotaPath(id));
  const { data } = await response.json<{ data: Record<string, unknown> }>();
  return data;
}

/** Sends a request of a client by a server. */
type CallBy = (server: Send, path: string, init?: RequestInit) => Promise<Response>;

/** A client with a quota. */
export async function limited(
  quota: object,
): Promise<{ readonly id: string; readonly token: string; readonly call: CallBy }> {
  const client = await freshClient(...SCOPES);
  const given = await give(client.id, quota);
  if (!given.ok) throw new Error(await given.text());
  const call: CallBy = (server, path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${client.token}`);
    return server(path, { ...init, headers });
  };
  return { ...client, call };
}

/** The statuses of requests that are sent one after the other. */
export async function statusesOf(count: number, call: () => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    const response = await call();
    await response.text();
    statuses.push(response.status);
  }
  return statuses;
}

/** The number of answers without an error. */
export const passed = (statuses: readonly number[]): number =>
  statuses.filter((status) => status < 400).length;

export const rate = (perSecond: number, burst: number) => ({ perSecond, burst });

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { LedgerReads, ReadName } from "#ledger-engine/read/ledger-reads.ts";
import { unwrap } from "#platform/result.ts";
import { type ApiInit, api, bodyOf, freshName } from "#test/support/platform/api.ts";

/** Creates a ledger with a fresh name; returns the name. */
export async function freshLedger(): Promise<string> {
  const name = freshName("ledger");
  await createLedger(name);
  return name;
}

export async function createLedger(name: string): Promise<void> {
  const response = await api(`/api/ledger/v2/${name}`, { method: "POST" });
  if (response.status !== 204) throw new Error(`no ledger: ${await response.text()}`);
}

/** Calls a path below a ledger, such as `/transactions`, with JSON. */
export const inLedger = (ledger: string, path: string, init?: ApiInit): Promise<Response> =>
  api(`/api/ledger/v2/${ledger}${path}`, {
    ...init,
    headers: { "content-type": "application/json", ...init?.headers },
  });

/** Commits a transaction; returns the answer. */
export const post = (ledger: string, body: unknown, init?: ApiInit): Promise<Response> =>
  inLedger(ledger, "/transactions", { body, ...init });

/** The body of a transaction with one posting, for example `pay("world -> a", 100)`. */
export function pay(way: string, amount: bigint | number, fields: object = {}) {
  const [source, destination] = way.split(" -> ");
  return { postings: [{ source, destination, amount, asset: "USD" }], ...fields };
}

/** The body of an answer. Throws unless the answer is a success. */
export async function okBodyOf<T>(response: Response | Promise<Response>): Promise<T> {
  const answer = await response;
  const body = (await bodyOf(answer)) as T; // each caller names the type of the body
  if (!answer.ok) throw new Error(`${answer.status}: ${JSON.stringify(body)}`);
  return body;
}

/** The error of a refused request, after checks that hold for every error. */
export async function refusalOf(response: Response | Promise<Response>) {
  const answer = await response;
  expect(answer.headers.get("content-type")).toBe("application/json");
  const body = await answer.json<{ errorCode: string; errorMessage: string; details?: string }>();
  expect(body.errorMessage.startsWith(`[${body.errorCode}] `)).toBe(true);
  return { status: answer.status, code: body.errorCode, message: body.errorMessage };
}

export interface Trace {
  readonly transactions: string;
  readonly accounts: string;
  readonly logIds: readonly number[];
}

/** The content of a ledger, by which tests see whether a request changed anything. */
export async function traceOf(ledger: string): Promise<Trace> {
  const expand = "pageSize=1000&expand=volumes,effectiveVolumes";
  const [transactions, accounts] = await Promise.all(
    ["transactions", "accounts"].map(async (list) =>
      (await inLedger(ledger, `/${list}?${expand}`)).text(),
    ),
  );
  return {
    transactions: transactions ?? "",
    accounts: accounts ?? "",
    logIds: await logIdsOf(ledger),
  };
}

export async function logIdsOf(ledger: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const from = (ids.at(-1) ?? 0) + 1;
    const { entries } = unwrap(await objectOf(ledger).readLogs(from, Number.MAX_SAFE_INTEGER));
    if (entries.length === 0) return ids;
    ids.push(...entries.map(({ id }) => id));
  }
}

/** The object that holds a ledger. */
export const objectOf = (ledger: string) => env.LEDGERS.getByName(ledger);

/** A read of a ledger's object, as the service calls it. */
export async function readObject<N extends ReadName>(
  object: Pick<ReturnType<typeof objectOf>, "read">,
  name: N,
  args: Parameters<LedgerReads[N]>,
): Promise<ReturnType<LedgerReads[N]>> {
  const answer: unknown = unwrap(await object.read({ name, args }));
  return answer as ReturnType<LedgerReads[N]>; // the answer of the read with this name
}

/** The balance of an account in USD. */
export async function balanceOf(ledger: string, address: string): Promise<number | bigint> {
  const { data } = await okBodyOf<{
    data: { volumes: Record<string, { balance: number | bigint }> };
  }>(inLedger(ledger, `/accounts/${address}?expand=volumes`));
  return data.volumes["USD"]?.balance ?? 0;
}

export const tablesIn = (ledger: string): Promise<string[]> =>
  runInDurableObject(objectOf(ledger), (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("_cf_")),
  );

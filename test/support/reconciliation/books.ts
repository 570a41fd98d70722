import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { systemContext } from "#platform/context.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { account } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

export const RECONCILIATION = "/api/reconciliation";
export const UNKNOWN = "00000000-0000-4000-8000-000000000000";

const context = systemContext(env, "test");

export const time = (text: string): Timestamp => {
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw new Error(`${text} is no timestamp`);
  return timestamp;
};

/** A new ledger; returns its name. */
export async function newLedger(name = freshName("books")): Promise<string> {
  expect((await api(`/api/ledger/v2/${name}`, { method: "POST" })).status).toBe(204);
  return name;
}

export interface Payment {
  readonly to: string;
  readonly from?: string;
  readonly amount: bigint | number;
  readonly asset?: string;
  /** The effective date, in RFC 3339. */
  readonly timestamp?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Commits a transaction of one posting, which may overdraw its source. */
export async function pay(
  ledger: string,
  { to, from = "world", amount, asset = "USD/2", timestamp, metadata }: Payment,
): Promise<void> {
  const response = await api(`/api/ledger/v2/${ledger}/transactions?force=true`, {
    body: {
      postings: [{ source: from, destination: to, amount, asset }],
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  });
  expect(response.status).toBe(200);
}

/** A pool with one account of a provider. */
export interface TestPool {
  readonly id: string;
  /** Reports a balance, which holds from `at` on. */
  readonly report: (asset: string, amount: bigint, at?: Timestamp) => Promise<void>;
}

export const REPORTED_AT = "2026-03-01T10:00:00Z";

export async function newPool(balances: Readonly<Record<string, bigint>> = {}): Promise<TestPool> {
  const connector = await requireConnector(context, (await storeConnector()).id);
  const reference = freshName("acc");
  const accounts = [account(reference, { name: "Main" })];
  await storePage(context, () =>
    prepareAccounts(context, { connector, type: "INTERNAL", accounts }),
  );
  const accountID = encodeOwnedId({ connector: connector.id, reference });
  const response = await api("/api/payments/v3/pools", {
    body: { name: freshName("pool"), accountIDs: [accountID] },
  });
  expect(response.status).toBe(201);
  const { data: id } = (await bodyOf(response)) as { data: string }; // the schema of the answer has this shape
  const report = async (asset: string, amount: bigint, at = time(REPORTED_AT)): Promise<void> => {
    const reported = [{ accountReference: reference, asset, amount, createdAt: at }];
    await storePage(context, () => prepareBalances(context, { connector, balances: reported }));
  };
  for (const [asset, amount] of Object.entries(balances)) await report(asset, amount);
  return { id, report };
}

/** The `data` of an answer with a status. */
export async function dataOf<T = Record<string, unknown>>(
  response: Response,
  status = 200,
): Promise<T> {
  const body = (await bodyOf(response)) as { data: T }; // the schema of the answer has this shape
  expect({ status: response.status, body }).toMatchObject({ status });
  return body.data;
}

export interface TestPage<T> {
  readonly data: T[];
  readonly next: string;
  readonly hasMore: boolean;
  readonly pageSize: number;
}

/** The page of an answer. */
export async function pageOf<T = Record<string, unknown>>(
  response: Response,
): Promise<TestPage<T>> {
  const body = (await bodyOf(response)) as { cursor: TestPage<T> }; // the schema of the answer has this shape
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  return body.cursor;
}

/** The status and the code of an answer that has failed. */
export async function failureOf(response: Response): Promise<readonly [number, string]> {
  const { errorCode } = (await bodyOf(response)) as { errorCode: string }; // errors have this shape
  return [response.status, errorCode];
}

/** A list's path with a filter in `query`. */
export const filtered = (path: string, filter: object): string =>
  `${RECONCILIATION}${path}?query=${encodeURIComponent(JSON.stringify(filter))}`;

import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { present } from "#platform/assert.ts";
import { systemClock } from "#platform/clock.ts";
import { keyOf, v3 } from "#test/support/payments/installs.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { CONNECTION, FakePowens, POWENS_CONFIG } from "#test/support/psp/powens.ts";

const psp = new FakePowens();
vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
  psp.fetch(new Request(input, init).url, init),
);
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

const SYNCED = "/connection-synced";
let connectorID: string;
let providerUserId: string;
beforeAll(async () => {
  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "powens",
    v3ConnectorConfig: { provider: "Powens", name: freshName("powens"), ...POWENS_CONFIG },
  });
  connectorID = installed?.data ?? "";
  psp.webhookPath = `/api/payments/v3/connectors/webhooks/${connectorID}`;
  await eventually(() => present(psp.auths[0], "the signature is made"));
  const { v3CreatePaymentServiceUserResponse: created } = await v3.createPaymentServiceUser({
    name: freshName("user"),
  });
  const paymentServiceUserID = created?.data ?? "";
  await v3.forwardPaymentServiceUserToProvider({ paymentServiceUserID, connectorID });
  providerUserId = [...psp.tokens].at(-1)?.replace("token-of-user-", "") ?? "";
});

type Sent = ReturnType<FakePowens["notify"]>;
const deliver = async ({ headers, body }: Sent): Promise<number> => {
  const path = `${psp.webhookPath}${SYNCED}`;
  return (await api(path, { method: "POST", token: null, headers, body })).status;
};

/** A synchronisation with `count` transactions of one account, each with `bytes` additional bytes. */
const synced = (count: number, bytes: number): Sent => {
  const more = { wording: "w".repeat(bytes) };
  const transactions = Array.from({ length: count }, () => psp.transaction(more));
  const accounts = [{ ...psp.account(), transactions }];
  const connection = { id: Number(CONNECTION), state: null, accounts };
  return psp.notify(SYNCED, { user: { id: Number(providerUserId) }, connection }, systemClock());
};

const MAX = 8 * 1024 * 1024;
const paddedTo = (bytes: number, body: string): string =>
  body + " ".repeat(bytes - new TextEncoder().encode(body).byteLength);

const countOf = async (table: string): Promise<unknown> => {
  const key = await keyOf(connectorID);
  const statement = env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE connector_key = ?`);
  return (await statement.bind(key).first())?.["n"];
};
const counts = async () => {
  const tables = ["payment_payments", "payment_accounts", "payment_balances", "payment_jobs"];
  return Promise.all([...tables, "payment_webhook_deliveries"].map(countOf));
};

describe("a large delivery of Powens", () => {
  test("a large delivery of Powens is worked off in parts, once, however often it comes", async () => {
    const sent = synced(2000, 900);
    expect(sent.body.length).toBeGreaterThan(2_000_000);
    expect(await deliver(sent)).toBe(200);
    const all = [2000, 1, 1, 0, 1];
    await eventually(async () => expect(await counts()).toEqual(all));
    expect(await deliver(sent)).toBe(200);
    expect(await counts()).toEqual(all);
  });

  test("a large delivery of Powens is refused above 8 MiB, and changes nothing", async () => {
    const before = await counts();
    const { headers, body } = synced(1, 0);
    expect(await deliver({ headers, body: paddedTo(MAX + 1, body) })).toBe(413);
    // A body of the largest allowed size is read, and refused for its wrong signature.
    expect(await deliver({ headers, body: paddedTo(MAX, body) })).toBe(401);
    expect(await counts()).toEqual(before);
  });

  test.each([
    ["a transaction", 1, 700_000],
    ["the number of its parts", 50_001, 0],
  ])("a large delivery of Powens is refused where %s is too large", async (_, count, bytes) => {
    const before = await counts();
    expect(await deliver(synced(count, bytes))).toBe(413);
    expect(await counts()).toEqual(before);
  });
});

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fromMillis } from "#platform/time.ts";
import { MODULES } from "#src/modules.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const PATH = "/api/florin/v1/stuck";
const DAY = 86_400_000;

interface Stuck {
  readonly items: readonly {
    readonly module: string;
    readonly work: string;
    readonly what: string;
    readonly since?: string;
    readonly why: string;
    readonly path: string;
  }[];
  readonly more: readonly object[];
  readonly unread: readonly object[];
}

async function stuck(query = ""): Promise<Stuck> {
  const response = await api(`${PATH}${query}`);
  expect(response.status).toBe(200);
  return (await response.json<{ data: Stuck }>()).data;
}

const run = (sql: string, ...values: readonly (string | number)[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const ago = (ms: number) => fromMillis(Date.now() - ms);

const PLANTED = [
  "dead_letters",
  "object_backlogs",
  "orchestration_instances",
  "outbox",
  "payment_initiations",
  "payment_movements",
  "sweep_runs",
  "wallet_hold_expiries",
  "webhook_owed",
];
const clear = async () => {
  for (const table of PLANTED) await run(`DELETE FROM ${table}`);
};
beforeEach(clear);
afterEach(async () => {
  vi.restoreAllMocks();
  await clear();
});

/** Lets an instance be stuck in an activity. */
async function plantInstance(): Promise<string> {
  const id = crypto.randomUUID();
  const hold = JSON.stringify({ kind: "retry", since: ago(DAY), lastFailure: "no money" });
  await run(
    `INSERT INTO orchestration_instances
       (id, workflow_key, variables, principal, created_at, updated_at, stage, run, round, due_at, change_id, state, hold)
     VALUES (?, 1, '{}', '{}', ?, ?, 0, 1, 1, ?, 'x', 'stuck', ?)`,
    id,
    ago(0),
    ago(0),
    ago(-DAY),
    hold,
  );
  return id;
}

test("nothing is stuck in a deployment that is well, and all sections can be read", async () => {
  expect(await stuck()).toEqual({ items: [], more: [], unread: [] });
});

test("every section of the status that shows overdue work lists it, too", () => {
  const silent = MODULES.flatMap(({ status = [] }) =>
    status.flatMap(({ name, stuck: list }) => (list === undefined ? [name] : [])),
  );
  // Neither keys nor refusals of quotas nor the switch of the deployment are work that waits.
  expect(silent).toEqual(["keys", "quotas", "arming", "restoration"]);
});

test("stuck work of several modules is listed with since when, why, and the path that shows it", async () => {
  const instance = await plantInstance();
  await run(
    "INSERT INTO wallet_hold_expiries (ledger, hold_id, due_at, asked_at) VALUES ('w', 'h 1', ?, ?)",
    ago(120_000),
    ago(-DAY),
  );
  await run(
    "INSERT INTO webhook_owed (config_id, revision, batch, created_at, due_at) VALUES ('c', 1, '{}', ?, ?)",
    ago(120_000),
    ago(-DAY),
  );
  for (const [kind, name] of [
    ["webhook-deliveries", "config-1"],
    ["ledger-events", "main"],
  ]) {
    await run(
      "INSERT INTO object_backlogs (kind, name, waiting, since_ms, reason, written_ms) VALUES (?, ?, 3, ?, 'it fails', 1)",
      kind ?? "",
      name ?? "",
      Date.now() - DAY,
    );
  }
  const { items, unread } = await stuck();
  expect(unread).toEqual([]);
  expect(items.map(({ module, work, what, path }) => [module, work, what, path])).toEqual([
    ["ledger", "ledger-events", "main", "/api/ledger/v2/main/_info"],
    ["webhooks", "webhook-deliveries", "config-1", "/api/webhooks/deliveries?configId=config-1"],
    ["webhooks", "owed-batches", "c", "/api/webhooks/configs?id=c"],
    ["wallets", "expired-holds", "h 1", "/api/wallets/holds/h%201"],
    ["orchestration", "stuck-instances", instance, `/api/orchestration/v2/instances/${instance}`],
  ]);
  expect(items.at(-1)).toMatchObject({
    since: expect.stringMatching(/^20/) as unknown,
    why: expect.stringMatching(/: no money$/) as unknown,
  });
  const ofOne = await stuck("?module=wallets");
  expect(ofOne.items.map(({ module }) => module)).toEqual(["wallets"]);
});

test("a movement of money that has no outcome leads to its initiation", async () => {
  const { key, text, idOf } = await storeConnector();
  const reference = freshName("po");
  const created = await api("/api/payments/v3/payment-initiations", {
    body: {
      reference,
      connectorID: text,
      description: "rent",
      type: "PAYOUT",
      amount: 1000,
      asset: "EUR/2",
      sourceAccountID: idOf("main"),
      destinationAccountID: idOf("landlord"),
      scheduledAt: "2126-01-01T00:00:00Z",
    },
  });
  const { data } = await created.json<{ data: { paymentInitiationID: string } }>();
  await run(
    `INSERT INTO payment_movements
       (connector_key, initiation_key, task, mark, signature, due_at, claims, failures, failing_since, last_error)
     SELECT ?, key, 't', 'm', 's', ?, 0, 5, ?, 'the bank is closed' FROM payment_initiations WHERE reference = ?`,
    key,
    ago(-DAY),
    ago(DAY),
    reference,
  );
  const { items } = await stuck("?module=payments");
  const path = `/api/payments/v3/payment-initiations/${data.paymentInitiationID}`;
  expect(items).toMatchObject([
    {
      work: "failing-movements",
      what: data.paymentInitiationID,
      why: expect.stringMatching(/: the bank is closed$/) as unknown,
      path,
    },
  ]);
  expect((await api(path)).status).toBe(200);
});

test("of each kind of work, as much is shown as was asked for, and it is said where there is more", async () => {
  for (let count = 0; count < 4; count++) await plantInstance();
  const two = await stuck("?each=2");
  expect(two.items).toHaveLength(2);
  expect(two.more).toEqual([{ module: "orchestration", work: "stuck-instances" }]);
  expect(await stuck("?each=4")).toMatchObject({ items: { length: 4 }, more: [] });
  for (const query of ["?each=0", "?each=101", "?each=x", "?module=nothing"]) {
    expect((await api(`${PATH}${query}`)).status).toBe(400);
  }
});

test("a section that cannot be read is named, and the others are listed all the same", async () => {
  vi.spyOn(console, "error").mockReturnValue(undefined);
  await plantInstance();
  const prepare = env.DB.prepare.bind(env.DB);
  vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
    if (text.includes("wallet_hold_expiries")) throw new Error("D1 is away");
    return prepare(text);
  });
  const { items, unread } = await stuck();
  expect(unread).toEqual([{ module: "wallets", section: "holds" }]);
  expect(items.map(({ work }) => work)).toEqual(["stuck-instances"]);
});

test("a poisoned event and a sweep that fails are stuck work of the platform", async () => {
  const event = { id: "e", app: "payments", type: "SAVED_PAYMENT", date: ago(600_000) };
  await run(
    "INSERT INTO outbox (id, event, attempts, announce_at) VALUES ('e', ?, 7, ?)",
    JSON.stringify(event),
    ago(-DAY),
  );
  await run(
    "INSERT INTO sweep_runs (name, ran_ms, next_ms, failures, failures_total, error) VALUES ('outbox', 1, ?, 3, 3, 'no')",
    Date.now() + DAY,
  );
  const { items } = await stuck("?module=platform");
  expect(items.map(({ work, what }) => [work, what])).toEqual([
    ["outbox", "e (payments.SAVED_PAYMENT)"],
    ["sweeps", "outbox"],
  ]);
});

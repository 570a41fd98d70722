import { expect, test } from "vitest";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { newLedger } from "#test/support/reconciliation/books.ts";
import { allKinds, page, type TestHit } from "#test/support/search/searches.ts";

const PAYMENTS = "/api/payments/v3";
const AT = "2026-03-01T09:30:00Z";

/** Sends a request that succeeds; returns the data of the answer. */
async function send(path: string, body: object, method = "POST"): Promise<unknown> {
  const response = await api(path, { method, body });
  expect([path, response.status < 300]).toEqual([path, true]);
  return response.status === 204
    ? undefined
    : ((await bodyOf(response)) as { data?: unknown }).data;
}

const idOf = (data: unknown): string => (data as { id: string }).id;

/** The hits of a kind. */
async function hits(target: string, ...terms: readonly string[]): Promise<readonly TestHit[]> {
  return (await page({ target, terms })).data;
}

async function expectHits(target: string, id: unknown, terms: readonly string[]): Promise<void> {
  for (const term of terms) {
    await eventually(async () => {
      const ids = (await hits(target, term)).map((hit) => hit.id);
      expect([term, ids]).toEqual([term, [id]]);
    });
  }
}

test("payments and their accounts are found, with amounts, statuses and metadata as they are now", async () => {
  const connector = await storeConnector();
  const name = freshName("settlement");
  const accountID = idOf(
    await send(`${PAYMENTS}/accounts`, {
      reference: freshName("acc"),
      connectorID: connector.text,
      createdAt: AT,
      accountName: name,
      type: "INTERNAL",
      defaultAsset: "EUR/2",
    }),
  );
  await expectHits("PAYMENT_ACCOUNT", accountID, [name.toUpperCase(), `id=${accountID}`]);
  const reference = freshName("pay");
  const adjustment = { createdAt: AT, asset: "EUR/2" };
  const id = idOf(
    await send(`${PAYMENTS}/payments`, {
      reference,
      connectorID: connector.text,
      createdAt: AT,
      type: "PAY-IN",
      initialAmount: 50_017,
      amount: 50_017,
      asset: "EUR/2",
      scheme: "CARD_VISA",
      destinationAccountID: accountID,
      metadata: { invoice: freshName("invoice") },
      adjustments: [
        { ...adjustment, reference, status: "SUCCEEDED", amount: 50_017 },
        {
          ...adjustment,
          createdAt: "2026-03-02T10:00:00Z",
          reference: `${reference}-refund`,
          status: "REFUNDED",
          amount: 12_000,
        },
      ],
    }),
  );
  const terms = [reference, "amount=38017", "amount=50017", `destination=${accountID}`];
  await expectHits("PAYMENT", id, [...terms, `id=${id}`]);
  expect(await hits("PAYMENT", reference, "status=REFUNDED", "provider=generic")).toHaveLength(1);
  expect(await hits("PAYMENT", reference, "status=SUCCEEDED")).toEqual([]);
  const note = freshName("note");
  await send(`${PAYMENTS}/payments/${id}/metadata`, { metadata: { note } }, "PATCH");
  await expectHits("PAYMENT", id, [note, `metadata.note=${note}`]);
});

test("bank accounts, pools and their changed metadata are found", async () => {
  const name = freshName("rent");
  const bankAccount = await send(`${PAYMENTS}/bank-accounts`, {
    name,
    iban: "FR7630006000011234567890189",
    country: "FR",
  });
  await expectHits("BANK_ACCOUNT", bankAccount, [name]);
  const tenant = freshName("tenant");
  await send(
    `${PAYMENTS}/bank-accounts/${bankAccount as string}/metadata`,
    { metadata: { tenant } },
    "PATCH",
  );
  await expectHits("BANK_ACCOUNT", bankAccount, [tenant]);
  const pool = freshName("treasury");
  const id = await send(`${PAYMENTS}/pools`, { name: pool, accountIDs: [] });
  await expectHits("POOL", id, [pool]);
  expect((await api(`${PAYMENTS}/pools/${id as string}`, { method: "DELETE" })).status).toBe(204);
  expect(await hits("POOL", pool)).toEqual([]);
});

test("workflows, instances, triggers and webhook configs are found at once", async () => {
  const ledger = await newLedger();
  const name = freshName("welcome");
  const workflowID = idOf(
    await send("/api/orchestration/v2/workflows", {
      name,
      stages: [{ wait_event: { event: "confirmed" } }],
    }),
  );
  expect(await hits("WORKFLOW", name)).toMatchObject([{ id: workflowID, kind: "WORKFLOW" }]);
  const instance = idOf(await send(`/api/orchestration/v2/workflows/${workflowID}/instances`, {}));
  await expectHits("INSTANCE", instance, [instance, workflowID]);
  const trigger = idOf(
    await send("/api/orchestration/v2/triggers", {
      name: `${name}-trigger`,
      event: "COMMITTED_TRANSACTIONS",
      filter: `event.ledger == "${ledger}"`,
      workflowID,
    }),
  );
  expect(await hits("TRIGGER", name)).toMatchObject([{ id: trigger, kind: "TRIGGER" }]);
  const endpoint = `https://hooks.example.com/${name}`;
  const config = await send("/api/webhooks/configs", {
    name,
    endpoint,
    eventTypes: ["ledger.committed_transactions"],
  });
  expect(await hits("WEBHOOK", endpoint)).toMatchObject([{ id: idOf(config), kind: "WEBHOOK" }]);
  const found = await allKinds({ terms: [name] });
  expect(Object.keys(found)).toEqual(["WORKFLOW", "TRIGGER", "WEBHOOK"]);
  const bearer = await token("search:read", "webhooks:read");
  expect(Object.keys(await allKinds({ terms: [name] }, bearer))).toEqual(["WEBHOOK"]);
});

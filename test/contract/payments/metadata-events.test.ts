import { beforeAll, expect, test } from "vitest";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { keepEvents, keptEvents } from "#test/support/payments/kept-events.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

const PAYMENTS = "/api/payments/v3";
const AT = "2026-03-01T09:30:00Z";

beforeAll(keepEvents);

const addMetadata = async (path: string, metadata: object): Promise<number> => {
  const body = { metadata };
  return (await api(`${PAYMENTS}/${path}/metadata`, { method: "PATCH", body })).status;
};

test("metadata that a request gives a payment are an event of their own each time", async () => {
  const connector = await storeConnector();
  const reference = freshName("pay");
  const adjustment = { reference, createdAt: AT, status: "SUCCEEDED", amount: 5, asset: "EUR/2" };
  const made = await api(`${PAYMENTS}/payments`, {
    body: {
      reference,
      connectorID: connector.text,
      createdAt: AT,
      type: "PAY-IN",
      initialAmount: 5,
      amount: 5,
      asset: "EUR/2",
      scheme: "SEPA",
      adjustments: [adjustment],
    },
  });
  const { id } = ((await bodyOf(made)) as { data: { id: string } }).data;
  for (const colour of ["red", "red"]) {
    expect(await addMetadata(`payments/${id}`, { colour })).toBe(204);
  }
  const payload = { id, connectorID: connector.text, provider: "generic" };
  const event = { app: "payments", type: "SAVED_PAYMENT_METADATA" };
  expect(await keptEvents("SAVED_PAYMENT_METADATA", id)).toMatchObject([
    { ...event, payload: { ...payload, metadata: { colour: "red" } } },
    { ...event, payload: { ...payload, metadata: { colour: "red" } } },
  ]);
});

test("metadata that a request gives a bank account are an event, and refused ones are none", async () => {
  const body = { name: freshName("rent"), iban: "FR7630006000011234567890189" };
  const made = await api(`${PAYMENTS}/bank-accounts`, { body });
  const { data: id } = (await bodyOf(made)) as { data: string };
  expect(await addMetadata(`bank-accounts/${id}`, { tenant: "43" })).toBe(204);
  const large = Object.fromEntries(["a", "b", "c"].map((key) => [key, "x".repeat(30_000)]));
  expect(await addMetadata(`bank-accounts/${id}`, large)).toBe(400);
  expect(await keptEvents("SAVED_BANK_ACCOUNT_METADATA", id)).toMatchObject([
    { payload: { id, metadata: { tenant: "43" } } },
  ]);
});

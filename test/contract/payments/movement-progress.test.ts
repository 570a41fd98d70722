import { afterAll, expect, test, vi } from "vitest";
import { healthOf, installGeneric, polled, v1, v3 } from "#test/support/payments/installs.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

let isAway = true;
vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
  const request = new Request(input, init);
  if (request.method !== "POST") return Response.json([]);
  if (isAway) return Response.json({ title: "Maintenance" }, { status: 503 });
  const { idempotencyKey: id, amount, currency } = await request.json<Record<string, string>>();
  return Response.json({
    id,
    amount,
    currency,
    status: "SUCCEEDED",
    createdAt: new Date().toISOString(),
  });
});
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

const ERROR = "POST /payouts: the provider answered 503: Maintenance";

async function read<T extends object>(path: string): Promise<T> {
  const response = await api(path);
  expect(response.status).toBe(200);
  return (await response.json<{ data: T }>()).data;
}

interface Shown {
  readonly status: string;
  readonly movement?: object;
}

test("a payout that its provider refuses shows attempts, error and next attempt in both versions, on its task and in health, while it is on its way", async () => {
  const connectorID = await installGeneric("http://psp.example");
  await polled(connectorID);
  const accountOf = async (type: "INTERNAL" | "EXTERNAL") => {
    const reference = freshName("account");
    const { v3CreateAccountResponse: created } = await v3.createAccount({
      reference,
      accountName: reference,
      connectorID,
      type,
      metadata: {},
      createdAt: new Date(Date.now() - 60_000),
    });
    return created?.data.id ?? "";
  };
  const { v3InitiatePaymentResponse: created } = await v3.initiatePayment({
    noValidation: true,
    v3InitiatePaymentRequest: {
      reference: freshName("po"),
      connectorID,
      description: "rent",
      type: "PAYOUT",
      amount: 1000n,
      asset: "EUR/2",
      sourceAccountID: await accountOf("INTERNAL"),
      destinationAccountID: await accountOf("EXTERNAL"),
      scheduledAt: new Date(),
      metadata: null,
    },
  });
  const { paymentInitiationID = "", taskID = "" } = created?.data ?? {};
  const readAll = async () => ({
    v3: await read<Shown>(`/api/payments/v3/payment-initiations/${paymentInitiationID}`),
    v1: await read<Shown>(`/api/payments/transfer-initiations/${paymentInitiationID}`),
    task: await read<Shown>(`/api/payments/v3/tasks/${taskID}`),
  });
  const movement = {
    attempts: expect.any(Number) as number,
    lastError: ERROR,
    failingSince: expect.any(String) as string,
    nextAttemptAt: expect.any(String) as string,
  };
  await eventually(async () => {
    const { v3: initiation, v1: transfer, task } = await readAll();
    expect(initiation).toMatchObject({ status: "PROCESSING", movement });
    expect(transfer).toMatchObject({ status: "PROCESSING", movement });
    expect(task).toMatchObject({ status: "PROCESSING", movement });
    expect(await healthOf(connectorID)).toMatchObject({
      status: "degraded",
      lastError: ERROR,
      movements: { ...movement, count: 1, paymentInitiationID },
    });
  });
  const query = encodeURIComponent(JSON.stringify({ $match: { id: paymentInitiationID } }));
  for (const list of ["v3/payment-initiations", "transfer-initiations"]) {
    const response = await api(`/api/payments/${list}?query=${query}`);
    const { cursor } = await response.json<{ cursor: { data: readonly Shown[] } }>();
    expect(cursor.data).toMatchObject([{ status: "PROCESSING", movement }]);
  }
  // The official client accepts a status that it does not know.
  const initiation = await v3.getPaymentInitiation({ paymentInitiationID });
  expect(initiation.v3GetPaymentInitiationResponse?.data.status).toBe("PROCESSING");
  const transfer = await v1.getTransferInitiation({ transferId: paymentInitiationID });
  expect(transfer.transferInitiationResponse?.data.status).toBe("PROCESSING");
  const task = await v3.getTask({ taskID });
  expect(task.v3GetTaskResponse?.data.status).toBe("PROCESSING");
  isAway = false;
  await eventually(async () => {
    const { v3: paid, v1: paidV1, task: ended } = await readAll();
    expect([paid.status, paidV1.status, ended.status]).toEqual([
      "PROCESSED",
      "PROCESSED",
      "SUCCEEDED",
    ]);
    expect([paid.movement, paidV1.movement, ended.movement]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const health = await healthOf(connectorID);
    expect([health.status, health]).toEqual([
      "healthy",
      expect.not.objectContaining({ movements: movement }) as object,
    ]);
  });
});

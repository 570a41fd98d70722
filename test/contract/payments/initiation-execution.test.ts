import { beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v3, v1 } = sdk({ bearer: await token() }).payments;

/** A dummypay connector with two accounts. */
let connectorID = "";
const accounts = { sourceAccountID: "", destinationAccountID: "" };

beforeAll(async () => {
  const name = freshName("dummy");
  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "dummypay",
    v3ConnectorConfig: { provider: "Dummypay", name, directory: name },
  });
  connectorID = installed?.data ?? "";
  accounts.sourceAccountID = await createAccount("INTERNAL");
  accounts.destinationAccountID = await createAccount("EXTERNAL");
});

async function createAccount(
  type: "INTERNAL" | "EXTERNAL",
  reference = freshName("account"),
): Promise<string> {
  const account = { reference, accountName: reference, connectorID, type, metadata: {} };
  const { v3CreateAccountResponse: created } = await v3.createAccount({
    ...account,
    createdAt: new Date(Date.now() - 60_000),
  });
  return created?.data.id ?? "";
}

const orderOf = (fields: object = {}) => ({
  reference: freshName("po"),
  connectorID,
  description: "rent",
  type: "PAYOUT" as const,
  amount: 1000n,
  asset: "EUR/2",
  ...accounts,
  scheduledAt: new Date(),
  metadata: null,
  ...fields,
});

async function create(
  fields: object = {},
  noValidation = false,
): Promise<{ id: string; taskID: string }> {
  const { v3InitiatePaymentResponse: created } = await v3.initiatePayment({
    v3InitiatePaymentRequest: orderOf(fields),
    noValidation,
  });
  return { id: created?.data.paymentInitiationID ?? "", taskID: created?.data.taskID ?? "" };
}

/** The task after its end. */
const endOf = (taskID: string) =>
  eventually(async () => {
    const { v3GetTaskResponse: read } = await v3.getTask({ taskID });
    expect(read?.data.status).not.toBe("PROCESSING");
    return read?.data;
  });

async function approve(id: string) {
  const { v3ApprovePaymentInitiationResponse: approved, statusCode } =
    await v3.approvePaymentInitiation({ paymentInitiationID: id });
  expect(statusCode).toBe(202);
  return endOf(approved?.data.taskID ?? "");
}

async function statusesOf(id: string): Promise<string[]> {
  const { v3PaymentInitiationAdjustmentsCursorResponse: listed } =
    await v3.listPaymentInitiationAdjustments({ paymentInitiationID: id });
  return (listed?.cursor.data ?? []).map(({ status }) => status).toReversed();
}

const paymentsOf = async (id: string) => {
  const { v3PaymentInitiationRelatedPaymentsCursorResponse: listed } =
    await v3.listPaymentInitiationRelatedPayments({ paymentInitiationID: id });
  return listed?.cursor.data ?? [];
};

async function reverse(id: string, amount: bigint, fields: object = {}) {
  const { v3ReversePaymentInitiationResponse: begun } = await v3.reversePaymentInitiation({
    paymentInitiationID: id,
    v3ReversePaymentInitiationRequest: {
      reference: freshName("r"),
      description: "",
      amount,
      asset: "EUR/2",
      metadata: null,
      ...fields,
    },
  });
  return endOf(begun?.data.taskID ?? "");
}

const destinationOf = (reference: string): string => {
  const id = JSON.parse(atob(accounts.destinationAccountID.replaceAll("-", "+"))) as object; // the id of an account is encoded JSON
  return btoa(JSON.stringify({ ...id, Reference: reference }))
    .replaceAll("+", "-")
    .replaceAll("=", "");
};

describe("version 3, through the official client", () => {
  test("version 3 of payments, through the official client, approves a payout, which is paid and reversed", async () => {
    const { id, taskID } = await create();
    expect(taskID).toBe("");
    const task = await approve(id);
    const [payment] = await paymentsOf(id);
    expect(task).toMatchObject({ status: "SUCCEEDED", createdObjectID: payment?.id });
    expect(payment).toMatchObject({ status: "SUCCEEDED", amount: 1000n, type: "PAYOUT" });
    expect((await reverse(id, 400n))?.status).toBe("SUCCEEDED");
    expect(await statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
      "REVERSE_PROCESSING",
      "REVERSED",
    ]);
    expect((await paymentsOf(id))[0]?.adjustments).toHaveLength(2);
    expect(await reverse(id, 601n)).toMatchObject({
      status: "FAILED",
      error: "cannot reverse more than the amount",
    });
  });

  test("version 3 of payments, through the official client, sends a transfer at once, or at its time", async () => {
    const { id, taskID } = await create({ type: "TRANSFER" }, true);
    expect((await endOf(taskID))?.status).toBe("SUCCEEDED");
    expect(await statusesOf(id)).toEqual(["WAITING_FOR_VALIDATION", "PROCESSING", "PROCESSED"]);
    const later = await create({ scheduledAt: new Date(Date.now() + 3_600_000) }, true);
    expect(later.taskID).not.toBe("");
    expect(await statusesOf(later.id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "SCHEDULED_FOR_PROCESSING",
    ]);
  });

  test("version 3 of payments, through the official client, retries what has failed, and says why it has", async () => {
    const { id } = await create({ destinationAccountID: destinationOf("nobody") });
    const request = { paymentInitiationID: id };
    expect(await approve(id)).toMatchObject({
      status: "FAILED",
      error: "the connector has no account 'nobody'",
    });
    const { v3RetryPaymentInitiationResponse: retried } = await v3.retryPaymentInitiation(request);
    expect((await endOf(retried?.data.taskID ?? ""))?.status).toBe("FAILED");
    const { v3GetPaymentInitiationResponse: read } = await v3.getPaymentInitiation(request);
    expect(read?.data.status).toBe("FAILED");
    expect(read?.data.error).toContain("nobody");
  });

  test("version 3 of payments, through the official client, refuses what a state does not allow", async () => {
    const { id } = await create();
    const request = { paymentInitiationID: id };
    expect(await reverse(id, 1n)).toMatchObject({ error: "payment initiation not processed" });
    expect(await codeOf(v3.retryPaymentInitiation(request))).toBe("VALIDATION");
    expect(await codeOf(reverse(id, 1n, { asset: "USD/2" }))).toBe("VALIDATION");
    await approve(id);
    expect(await codeOf(v3.approvePaymentInitiation(request))).toBe("VALIDATION");
    expect(await codeOf(v3.rejectPaymentInitiation(request))).toBe("VALIDATION");
  });

  test("version 3 of payments, through the official client, does not know an initiation that does not exist", async () => {
    const paymentInitiationID = destinationOf("unknown");
    const request = { paymentInitiationID };
    const reversal = { reference: "r-1", description: "", amount: 1n, asset: "EUR/2" };
    for (const call of [
      v3.approvePaymentInitiation(request),
      v3.retryPaymentInitiation(request),
      v3.listPaymentInitiationRelatedPayments(request),
      v3.reversePaymentInitiation({ ...request, v3ReversePaymentInitiationRequest: reversal }),
    ]) {
      expect(await codeOf(call)).toBe("NOT_FOUND");
    }
  });

  test("version 3 of payments, through the official client, pays once what two clients approve at once", async () => {
    const { id } = await create();
    const answers = await Promise.all(
      [1, 2].map(() =>
        api(`/api/payments/v3/payment-initiations/${id}/approve`, { method: "POST" }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 400]);
    await eventually(async () => expect(await paymentsOf(id)).toHaveLength(1));
    expect(await statusesOf(id)).toHaveLength(3);
  });
});

describe("version 1, through the official client", () => {
  const createV1 = async (fields: object = {}) => {
    const order = { ...orderOf(), metadata: {}, validated: false, ...fields };
    const { transferInitiationResponse: created } = await v1.createTransferInitiation(order);
    return created?.data;
  };
  const change = (transferId: string, status: "VALIDATED" | "REJECTED") =>
    v1.updateTransferInitiationStatus({
      transferId,
      updateTransferInitiationStatusRequest: { status },
    });
  const read = async (transferId: string) => {
    const { transferInitiationResponse: answer } = await v1.getTransferInitiation({ transferId });
    return answer?.data;
  };
  const reversal = { description: "", amount: 1000n, asset: "EUR/2", metadata: {} };

  test("version 1 of payments, through the official client, waits for the outcome of what it approves, and shows it", async () => {
    const created = await createV1();
    const id = created?.id ?? "";
    expect(created).toMatchObject({
      status: "WAITING_FOR_VALIDATION",
      provider: "DUMMY-PAY",
      amount: 1000n,
      initialAmount: 1000n,
      error: "",
      ...accounts,
    });
    expect((await change(id, "VALIDATED")).statusCode).toBe(204);
    expect(await read(id)).toMatchObject({
      status: "PROCESSED",
      relatedPayments: [{ status: "SUCCEEDED", error: "" }],
      relatedAdjustments: [
        { status: "PROCESSED" },
        { status: "PROCESSING" },
        { status: "WAITING_FOR_VALIDATION" },
      ],
    });
    const reference = freshName("r");
    const reversed = await v1.reverseTransferInitiation({
      transferId: id,
      reverseTransferInitiationRequest: { ...reversal, reference },
    });
    expect(reversed.statusCode).toBe(204);
    expect((await read(id))?.status).toBe("REVERSED");
    for (const bad of ["abc", "x".repeat(1000)]) {
      const reverseTransferInitiationRequest = { ...reversal, reference: bad };
      const refused = v1.reverseTransferInitiation({
        transferId: id,
        reverseTransferInitiationRequest,
      });
      expect(await codeOf(refused)).toBe("VALIDATION");
    }
  });

  test("version 1 of payments, through the official client, shows the objects of version 3 in its own words", async () => {
    const { id } = await create({ scheduledAt: new Date(Date.now() + 3_600_000) }, true);
    const shown = await read(id);
    expect(shown).toMatchObject({ status: "PROCESSING", relatedPayments: [] });
    expect(shown?.relatedAdjustments).toMatchObject([{ status: "WAITING_FOR_VALIDATION" }]);
    const query = JSON.stringify({ $match: { id } });
    const { transferInitiationsCursor: listed } = await v1.listTransferInitiations({ query });
    expect(listed?.cursor.data).toMatchObject([{ id, status: "PROCESSING" }]);
  });

  test("version 1 of payments, through the official client, sends what is validated already, and tells what went wrong", async () => {
    expect((await createV1({ validated: true }))?.status).toBe("PROCESSED");
    const unknown = { destinationAccountID: destinationOf("nobody"), reference: freshName("po") };
    expect(await codeOf(createV1({ ...unknown, validated: true }))).toBe("VALIDATION");
    const query = JSON.stringify({ $match: { reference: unknown.reference } });
    const { transferInitiationsCursor: listed } = await v1.listTransferInitiations({ query });
    const [failed] = listed?.cursor.data ?? [];
    expect(failed?.status).toBe("FAILED");
    const transferId = failed?.id ?? "";
    expect(await codeOf(v1.retryTransferInitiation({ transferId }))).toBe("VALIDATION");
    expect((await read(transferId))?.relatedAdjustments).toHaveLength(5);
  });

  test("version 1 of payments, through the official client, retries once the account exists", async () => {
    const reference = freshName("later");
    const late = { destinationAccountID: destinationOf(reference), reference: freshName("po") };
    const transferId = (await createV1(late))?.id ?? "";
    expect(await codeOf(change(transferId, "VALIDATED"))).toBe("VALIDATION");
    await createAccount("EXTERNAL", reference);
    expect((await v1.retryTransferInitiation({ transferId })).statusCode).toBe(204);
    expect((await read(transferId))?.status).toBe("PROCESSED");
  });

  test("version 1 of payments, through the official client, rejects, deletes, and refuses the rest", async () => {
    const [rejected, deleted] = [await createV1(), await createV1()];
    const transferId = rejected?.id ?? "";
    expect((await change(transferId, "REJECTED")).statusCode).toBe(204);
    expect(await codeOf(change(transferId, "VALIDATED"))).toBe("VALIDATION");
    expect(await codeOf(v1.deleteTransferInitiation({ transferId }))).toBe("VALIDATION");
    const gone = { transferId: deleted?.id ?? "" };
    expect((await v1.deleteTransferInitiation(gone)).statusCode).toBe(204);
    expect(await codeOf(v1.getTransferInitiation(gone))).toBe("NOT_FOUND");
    expect(await codeOf(v1.retryTransferInitiation(gone))).toBe("NOT_FOUND");
    const request = {
      ...gone,
      reverseTransferInitiationRequest: { ...reversal, reference: "rv-1" },
    };
    expect(await codeOf(v1.reverseTransferInitiation(request))).toBe("NOT_FOUND");
    expect(await codeOf(v1.listTransferInitiations({ cursor: "x" }))).toBe("VALIDATION");
    const odd = await api(`/api/payments/transfer-initiations/${transferId}/status`, {
      body: { status: "PROCESSED" },
    });
    expect([odd.status, await bodyOf(odd)]).toMatchObject([400, { errorCode: "VALIDATION" }]);
  });
});

/** The sentences of the product's specification. */
describe("operation 5: GET /api/payments/v3/payment-initiations", () => {
  test("the list of payment initiations answers 200 with the pagination envelope of payment initiations", async () => {
    await create();
    await create();
    const path = "/api/payments/v3/payment-initiations";
    const first = await api(`${path}?pageSize=1`);
    expect(first.status).toBe(200);
    const { cursor } = (await bodyOf(first)) as { cursor: { next: string; data: unknown[] } }; // every answer has this envelope
    expect(cursor).toMatchObject({ pageSize: 1, hasMore: true });
    expect(cursor.data).toMatchObject([
      { connectorID, provider: "dummypay", type: "PAYOUT", amount: 1000, asset: "EUR/2" },
    ]);
    const second = await api(`${path}?cursor=${cursor.next}`);
    expect(second.status).toBe(200);
  });

  test.each(["0x", "-1", "1.5"])(
    "the list of payment initiations takes an integer from 1 to 1000 as page size, not %s",
    async (size) => {
      const answer = await api(`/api/payments/v3/payment-initiations?pageSize=${size}`);
      expect([answer.status, await bodyOf(answer)]).toMatchObject([
        400,
        { errorCode: "VALIDATION" },
      ]);
    },
  );

  test("the list of payment initiations has pages of 1000, and no larger ones", async () => {
    const answer = await api("/api/payments/v3/payment-initiations?pageSize=1001");
    expect(await bodyOf(answer)).toMatchObject({ cursor: { pageSize: 1000, next: "" } });
  });

  test("the list of payment initiations refuses a malformed cursor with VALIDATION", async () => {
    const answer = await api("/api/payments/v3/payment-initiations?cursor=odd");
    expect([answer.status, await bodyOf(answer)]).toMatchObject([400, { errorCode: "VALIDATION" }]);
  });
});

describe("operation 6: GET /api/payments/transfer-initiations/{transferId}", () => {
  test("the read of a transfer initiation answers 200 with its payments and its adjustments", async () => {
    const { id } = await create();
    await approve(id);
    const answer = await api(`/api/payments/transfer-initiations/${id}`);
    expect(answer.status).toBe(200);
    const { data } = (await bodyOf(answer)) as { data: object }; // every answer has this envelope
    expect(data).toMatchObject({
      id,
      connectorID,
      type: "PAYOUT",
      amount: 1000,
      initialAmount: 1000,
      status: "PROCESSED",
      error: "",
      metadata: {},
      relatedPayments: [{ status: "SUCCEEDED", error: "" }],
    });
    expect(Object.keys(data)).toEqual(
      expect.arrayContaining(["reference", "createdAt", "scheduledAt", "relatedAdjustments"]),
    );
  });
});

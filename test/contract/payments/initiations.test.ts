import { describe, expect, test } from "vitest";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { type StoredConnector, storeConnector } from "#test/support/payments/connectors.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v3 } = sdk({ bearer: await token() }).payments;
const PATH = "/api/payments/v3/payment-initiations";
const ZERO = new Date("0001-01-01T00:00:00Z");

const orderOf = (connector: StoredConnector) => ({
  reference: freshName("po"),
  connectorID: connector.text,
  description: "rent",
  type: "PAYOUT" as const,
  amount: 1000n,
  asset: "EUR/2",
  sourceAccountID: connector.idOf("main"),
  destinationAccountID: connector.idOf("landlord"),
  scheduledAt: new Date(),
});

async function create(connector: StoredConnector, fields: object = {}): Promise<string> {
  const { v3InitiatePaymentResponse: created, statusCode } = await v3.initiatePayment({
    v3InitiatePaymentRequest: { ...orderOf(connector), ...fields },
  });
  expect([statusCode, created?.data.taskID]).toEqual([202, ""]);
  return created?.data.paymentInitiationID ?? "";
}

const read = async (paymentInitiationID: string) => {
  const { v3GetPaymentInitiationResponse: answer } = await v3.getPaymentInitiation({
    paymentInitiationID,
  });
  return answer?.data;
};

/** The error with which a creation is refused. */
async function refusalOf(connector: StoredConnector, fields: object): Promise<string> {
  const { amount, ...others } = orderOf(connector);
  const response = await api(PATH, { body: { ...others, amount: Number(amount), ...fields } });
  const { errorMessage } = (await bodyOf(response)) as { errorMessage: string }; // every error has this shape
  return `${response.status} ${errorMessage}`;
}

describe("payment initiations, through the official client", () => {
  test("payment initiations, through the official client, are created, read and listed by each filter", async () => {
    const connector = await storeConnector();
    const metadata = { tenant: freshName() };
    const reference = freshName("po");
    const id = await create(connector, { metadata, reference });
    const shown = await read(id);
    expect(shown).toMatchObject({
      id,
      reference,
      provider: "generic",
      connectorID: connector.text,
      scheduledAt: ZERO,
      sourceAccountID: connector.idOf("main"),
      destinationAccountID: connector.idOf("landlord"),
      amount: 1000n,
      status: "WAITING_FOR_VALIDATION",
      metadata,
    });
    await create(connector, { type: "TRANSFER", asset: "USD/2", amount: 5n });
    const other = await create(await storeConnector());
    const { connectorID, sourceAccountID, destinationAccountID } = orderOf(connector);
    for (const test of [
      { $match: { id } },
      { $match: { reference } },
      { $match: { type: "PAYOUT" } },
      { $match: { asset: "EUR/2" } },
      { $gte: { amount: 1000 } },
      { $match: { "metadata[tenant]": metadata.tenant } },
      { $not: { $match: { type: "TRANSFER" } } },
    ]) {
      const query = { $and: [{ $match: { connector_id: connectorID } }, test] };
      const { v3PaymentInitiationsCursorResponse: listed } = await v3.listPaymentInitiations({
        query,
      });
      expect(listed?.cursor.data).toEqual([shown]);
    }
    const query = {
      $and: [
        { $match: { source_account_id: sourceAccountID } },
        { $match: { destination_account_id: destinationAccountID } },
        { $match: { status: "WAITING_FOR_VALIDATION" } },
      ],
    };
    const first = await v3.listPaymentInitiations({ pageSize: 1, query });
    const cursor = first.v3PaymentInitiationsCursorResponse?.cursor.next ?? "";
    const second = await v3.listPaymentInitiations({ cursor });
    expect(second.v3PaymentInitiationsCursorResponse?.cursor.data).toEqual([shown]);
    expect(await read(other)).toMatchObject({ id: other });
  });

  test("payment initiations, through the official client, are rejected, which their adjustments tell", async () => {
    const id = await create(await storeConnector());
    const request = { paymentInitiationID: id };
    expect((await v3.rejectPaymentInitiation(request)).statusCode).toBe(204);
    expect((await read(id))?.status).toBe("REJECTED");
    const { v3PaymentInitiationAdjustmentsCursorResponse: listed } =
      await v3.listPaymentInitiationAdjustments(request);
    expect(listed?.cursor.data).toMatchObject([
      { status: "REJECTED", metadata: { rejectedBy: "test-client" } },
      { status: "WAITING_FOR_VALIDATION", amount: 1000n, asset: "EUR/2" },
    ]);
    expect(await codeOf(v3.rejectPaymentInitiation(request))).toBe("VALIDATION");
    expect(await codeOf(v3.deletePaymentInitiation(request))).toBe("VALIDATION");
    const { v3PaymentInitiationAdjustmentsCursorResponse: filtered } =
      await v3.listPaymentInitiationAdjustments({
        ...request,
        query: { $match: { status: "REJECTED" } },
      });
    expect(filtered?.cursor.data).toHaveLength(1);
  });

  test("payment initiations, through the official client, are deleted while they wait, and their reference is free again", async () => {
    const connector = await storeConnector();
    const reference = freshName("po");
    const id = await create(connector, { reference });
    const again = v3.initiatePayment({
      v3InitiatePaymentRequest: { ...orderOf(connector), reference },
    });
    expect(await codeOf(again)).toBe("CONFLICT");
    expect((await v3.deletePaymentInitiation({ paymentInitiationID: id })).statusCode).toBe(204);
    expect(await codeOf(v3.getPaymentInitiation({ paymentInitiationID: id }))).toBe("NOT_FOUND");
    expect(await create(connector, { reference })).toBe(id);
  });

  test("payment initiations, through the official client, are refused with codes that it knows", async () => {
    const connector = await storeConnector();
    for (const paymentInitiationID of [connector.idOf("unknown"), "x"]) {
      const request = { paymentInitiationID };
      const code = paymentInitiationID === "x" ? "INVALID_ID" : "NOT_FOUND";
      expect(await codeOf(v3.getPaymentInitiation(request))).toBe(code);
      expect(await codeOf(v3.deletePaymentInitiation(request))).toBe(code);
      expect(await codeOf(v3.rejectPaymentInitiation(request))).toBe(code);
      expect(await codeOf(v3.listPaymentInitiationAdjustments(request))).toBe(code);
    }
    const query = { $match: { description: "rent" } };
    expect(await codeOf(v3.listPaymentInitiations({ query }))).toBe("VALIDATION");
    expect(await codeOf(v3.listPaymentInitiations({ cursor: "x" }))).toBe("VALIDATION");
  });
});

describe("a payment initiation", () => {
  test.each([
    [{ reference: "ab" }, "'reference': must be at least 3 characters"],
    [{ type: "UNKNOWN" }, "'type'"],
    [{ amount: 0 }, "'amount': must be greater than 0"],
    [{ amount: "12" }, "'amount': expected an integer"],
    [{ asset: "EUR" }, "'asset'"],
    [{ asset: "BTC/8" }, "'asset'"],
    [{ connectorID: "x" }, "'connectorID': is not the id of a connector"],
    [{ destinationAccountID: null }, "'destinationAccountID'"],
    [{ sourceAccountID: "x" }, "'sourceAccountID'"],
    [{ scheduledAt: "2020-01-01T00:00:00Z" }, "'scheduledAt': must be greater than"],
    [{ description: "x".repeat(10_001) }, "'description'"],
    [{ metadata: { a: 1 } }, "'metadata.a'"],
  ])("an initiation is refused with the wrong field's name, case %#", async (fields, named) => {
    const refusal = await refusalOf(await storeConnector(), fields);
    expect(refusal).toContain("400 [VALIDATION] body ");
    expect(refusal).toContain(named);
  });

  test("a payment initiation moves money at its own connector only", async () => {
    const [connector, other] = [await storeConnector(), await storeConnector()];
    expect(await refusalOf(connector, { destinationAccountID: other.idOf("landlord") })).toBe(
      "400 [VALIDATION] destinationAccountID is an account of another connector",
    );
    const unknown = encodeConnectorId({ provider: "generic", reference: crypto.randomUUID() });
    expect(await refusalOf(other, { connectorID: unknown })).toContain("400 [VALIDATION]");
  });

  // This time is computed when its test begins, which on a slow machine is long after the file was loaded.
  const HALF_A_MINUTE_AGO = () => new Date(Date.now() - 30_000).toISOString();
  test.each(["", "0001-01-01T00:00:00Z", HALF_A_MINUTE_AGO, null])(
    "a payment initiation is made at once when it is scheduled for %s",
    async (scheduled) => {
      const connector = await storeConnector();
      const scheduledAt = typeof scheduled === "function" ? scheduled() : scheduled;
      const body = { ...orderOf(connector), scheduledAt };
      const answer = await api(PATH, { body });
      expect(answer.status).toBe(202);
      const { data } = (await bodyOf(answer)) as { data: { paymentInitiationID: string } }; // the test above checks this shape
      expect((await read(data.paymentInitiationID))?.scheduledAt).toEqual(ZERO);
    },
  );

  test("a payment initiation keeps a time that is still to come", async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000);
    const id = await create(await storeConnector(), { scheduledAt });
    expect((await read(id))?.scheduledAt).toEqual(scheduledAt);
  });

  test("a payment initiation is rejected or deleted by one of several clients at once", async () => {
    const id = await create(await storeConnector());
    const request = { paymentInitiationID: id };
    const changes = [
      v3.rejectPaymentInitiation(request),
      v3.deletePaymentInitiation(request),
      v3.rejectPaymentInitiation(request),
    ].map((change) => change.then(({ statusCode }) => statusCode).catch(() => 0));
    const won = (await Promise.all(changes)).filter((statusCode) => statusCode === 204);
    expect(won).toHaveLength(1);
  });
});

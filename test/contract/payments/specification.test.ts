import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

/** Tests of payments' operations by plain HTTP, with sentences of the product's specification. */

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function call(request: string, body?: unknown): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ");
  const response = await api(`/api/payments${path}`, {
    method,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.clone().text();
  return { status: response.status, body: text === "" ? undefined : await bodyOf(response) };
}

/** The body of an answer with the expected status. */
async function okBody<S extends z.ZodType>(
  request: string,
  { status, schema, body }: { status: number; schema: S; body?: unknown },
): Promise<z.output<S>> {
  const answer = await call(request, body);
  expect({ request, ...answer }).toMatchObject({ request, status });
  return schema.parse(answer.body);
}

const DateTime = z.iso.datetime();
const Texts = z.record(z.string(), z.string());
const ErrorBody = z.strictObject({
  errorCode: z.string(),
  errorMessage: z.string().regex(/^\[[A-Z_]+\] ./),
  details: z.string().optional(),
});
const cursorOf = <S extends z.ZodType>(item: S) =>
  z.object({
    cursor: z.strictObject({
      pageSize: z.int().min(1),
      hasMore: z.boolean(),
      data: z.array(item),
      previous: z.string().optional(),
      next: z.string(),
    }),
  });

const Account = z.object({
  id: z.string(),
  createdAt: DateTime,
  reference: z.string(),
  connectorID: z.string(),
  defaultCurrency: z.string(),
  defaultAsset: z.string(),
  accountName: z.string(),
  type: z.enum(["UNKNOWN", "INTERNAL", "EXTERNAL"]),
  metadata: Texts,
  raw: z.looseObject({}),
  provider: z.string(),
});
const Initiation = z.object({
  id: z.string(),
  connectorID: z.string(),
  provider: z.string(),
  reference: z.string(),
  createdAt: DateTime,
  scheduledAt: DateTime,
  description: z.string(),
  type: z.enum(["UNKNOWN", "TRANSFER", "PAYOUT"]),
  amount: z.int(),
  asset: z.string(),
  status: z.enum([
    "UNKNOWN",
    "WAITING_FOR_VALIDATION",
    "SCHEDULED_FOR_PROCESSING",
    "PROCESSING",
    "PROCESSED",
    "FAILED",
    "REJECTED",
    "REVERSE_PROCESSING",
    "REVERSE_FAILED",
    "REVERSED",
  ]),
  sourceAccountID: z.string().optional(),
  destinationAccountID: z.string().optional(),
  error: z.string().optional(),
  metadata: Texts,
});
const TransferStatus = z.enum([
  "WAITING_FOR_VALIDATION",
  "PROCESSING",
  "PROCESSED",
  "FAILED",
  "REJECTED",
  "VALIDATED",
  "ASK_RETRIED",
  "ASK_REVERSED",
  "REVERSE_PROCESSING",
  "REVERSE_FAILED",
  "PARTIALLY_REVERSED",
  "REVERSED",
]);
const Transfer = z.object({
  ...Initiation.shape,
  initialAmount: z.int(),
  type: z.enum(["TRANSFER", "PAYOUT"]),
  status: TransferStatus,
  relatedPayments: z.array(
    z.object({
      paymentID: z.string(),
      createdAt: DateTime,
      status: z.enum([
        "PENDING",
        "SUCCEEDED",
        "CANCELLED",
        "FAILED",
        "EXPIRED",
        "REFUNDED",
        "REFUNDED_FAILURE",
        "DISPUTE",
        "DISPUTE_WON",
        "DISPUTE_LOST",
        "OTHER",
      ]),
      error: z.string(),
    }),
  ),
  relatedAdjustments: z.array(
    z.object({
      adjustmentID: z.string(),
      createdAt: DateTime,
      status: TransferStatus,
      error: z.string(),
      metadata: Texts,
    }),
  ),
});
const Pool = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: DateTime,
  poolAccounts: z.array(z.string()),
});
const Id = z.object({ data: z.string() });
const dataOf = <S extends z.ZodType>(schema: S) => z.object({ data: schema });

async function refused(request: string, body?: unknown): Promise<[number, string]> {
  const answer = await call(request, body);
  return [answer.status, ErrorBody.parse(answer.body).errorCode];
}

let connectorID: string;

beforeAll(async () => {
  const body = { name: freshName("spec"), directory: freshName("spec"), pollingPeriod: "1h" };
  const installed = { status: 202, schema: Id, body };
  connectorID = (await okBody("POST /v3/connectors/install/dummypay", installed)).data;
});

const account = (fields: object = {}) => ({
  reference: freshName("account"),
  connectorID,
  createdAt: "2026-03-01T09:30:00Z",
  type: "INTERNAL",
  accountName: "Main",
  ...fields,
});

const createAccount = async (fields: object = {}) =>
  (await okBody("POST /accounts", { status: 200, schema: dataOf(Account), body: account(fields) }))
    .data;

async function payOut(): Promise<{ id: string; reference: string }> {
  const [source, destination] = [await createAccount(), await createAccount({ type: "EXTERNAL" })];
  const reference = freshName("payout");
  const body = {
    reference,
    connectorID,
    description: "rent",
    type: "PAYOUT",
    amount: 1000,
    asset: "EUR/2",
    sourceAccountID: source.id,
    destinationAccountID: destination.id,
    metadata: { month: "March" },
  };
  const schema = dataOf(z.object({ paymentInitiationID: z.string() }));
  const { data } = await okBody("POST /v3/payment-initiations?noValidation=true", {
    status: 202,
    schema,
    body,
  });
  return { id: data.paymentInitiationID, reference };
}

describe("operation 5, GET /api/payments/v3/payment-initiations", () => {
  test("the list of payment initiations answers their pagination envelope, for page sizes from 1 to 1000", async () => {
    const { id, reference } = await payOut();
    await payOut();
    const schema = cursorOf(Initiation);
    const first = await okBody("GET /v3/payment-initiations?pageSize=1", { status: 200, schema });
    expect(first.cursor).toMatchObject({ pageSize: 1, hasMore: true });
    const { next } = first.cursor;
    const second = await okBody(`GET /v3/payment-initiations?cursor=${next}`, {
      status: 200,
      schema,
    });
    expect(second.cursor.data).toMatchObject([{ id, reference, amount: 1000, type: "PAYOUT" }]);
    expect(second.cursor.previous).not.toBe("");
    for (const [asked, given] of [
      [1000, 1000],
      [5000, 1000],
    ]) {
      const page = await okBody(`GET /v3/payment-initiations?pageSize=${asked}`, {
        status: 200,
        schema,
      });
      expect(page.cursor).toMatchObject({ pageSize: given, hasMore: false, next: "" });
    }
  });

  test("the list of payment initiations refuses a malformed cursor", async () => {
    expect(await refused("GET /v3/payment-initiations?cursor=x")).toEqual([400, "VALIDATION"]);
  });
});

describe("operation 6, GET /api/payments/transfer-initiations/{transferId}", () => {
  test("the read of a transfer initiation answers it with its payments and its adjustments", async () => {
    const { id, reference } = await payOut();
    await eventually(async () => {
      const schema = dataOf(Transfer);
      const { data } = await okBody(`GET /transfer-initiations/${id}`, { status: 200, schema });
      expect(data).toMatchObject({
        id,
        reference,
        amount: 1000,
        initialAmount: 1000,
        status: "PROCESSED",
        metadata: { month: "March" },
        relatedPayments: [{ status: "SUCCEEDED" }],
      });
      expect(data.relatedAdjustments.map(({ status }) => status)).toContain("PROCESSED");
    });
  });

  test("the read of a transfer initiation has no transfer of another id", async () => {
    const [status] = await refused(`GET /transfer-initiations/${connectorID}`);
    expect(status).toBe(400);
  });
});

describe("operations 9 and 13, GET and POST /api/payments/accounts", () => {
  test("the creation of an account of payments answers it", async () => {
    const fields = { defaultAsset: "EUR/2", metadata: { owner: "ACME" } };
    const created = await createAccount(fields);
    expect(created).toMatchObject({
      ...fields,
      connectorID,
      type: "INTERNAL",
      accountName: "Main",
    });
    const read = await okBody(`GET /accounts/${created.id}`, {
      status: 200,
      schema: dataOf(Account),
    });
    expect(read.data).toMatchObject({ ...created, raw: expect.anything() as unknown });
  });

  test.each(["reference", "connectorID", "createdAt", "type"])(
    "the creation of an account of payments needs %s",
    async (field) => {
      const { [field as "reference"]: _absent, ...rest } = account();
      expect(await refused("POST /accounts", rest)).toEqual([400, "VALIDATION"]);
    },
  );
});

describe("operations 10 and 11, PATCH of a payment's metadata", () => {
  const Metadata = dataOf(z.object({ metadata: Texts }));
  const createPayment = async (): Promise<string> => {
    const body = {
      reference: freshName("payment"),
      connectorID,
      createdAt: "2026-03-01T09:30:00Z",
      type: "PAY-IN",
      amount: 100,
      asset: "EUR/2",
      scheme: "OTHER",
      status: "SUCCEEDED",
    };
    const schema = dataOf(z.object({ id: z.string() }));
    return (await okBody("POST /payments", { status: 200, schema, body })).data.id;
  };

  test.each([
    ["v3", "/v3/payments", { metadata: { a: "1" } }],
    ["v3, as a bare map", "/v3/payments", { a: "1" }],
    ["v1", "/payments", { a: "1" }],
  ])("PATCH of a payment's metadata adds to it (%s)", async (_, path, body) => {
    const id = await createPayment();
    expect((await call(`PATCH ${path}/${id}/metadata`, body)).status).toBe(204);
    const { data } = await okBody(`GET ${path}/${id}`, { status: 200, schema: Metadata });
    expect(data.metadata).toEqual({ a: "1" });
  });

  test("PATCH of a payment's metadata without the needed reference is a failed validation", async () => {
    const id = await createPayment();
    for (const path of ["/v3/payments", "/payments"]) {
      expect(await refused(`PATCH ${path}/${id}/metadata`, {})).toEqual([400, "VALIDATION"]);
    }
  });

  test("PATCH of a payment's metadata answers an error body for a payment that does not exist", async () => {
    const known = await createPayment();
    const id = Buffer.from(
      Buffer.from(known, "base64url")
        .toString()
        .replace(/"Reference":"payment-/, '"Reference":"none-'),
    ).toString("base64url");
    expect(await refused(`PATCH /v3/payments/${id}/metadata`, { a: "1" })).toEqual([
      404,
      "NOT_FOUND",
    ]);
    expect(await refused(`PATCH /payments/${id}/metadata`, { a: "1" })).toEqual([404, "NOT_FOUND"]);
  });
});

describe("operations 12 and 14, GET /api/payments/v3/pools", () => {
  test("GET of pools answers one, and a page of them", async () => {
    const member = await createAccount();
    const name = freshName("pool");
    const created = { status: 201, schema: Id, body: { name, accountIDs: [member.id] } };
    const { data: id } = await okBody("POST /v3/pools", created);
    const read = await okBody(`GET /v3/pools/${id}`, { status: 200, schema: dataOf(Pool) });
    expect(read.data).toMatchObject({ id, name, poolAccounts: [member.id] });
    const schema = cursorOf(Pool);
    const page = await okBody("GET /v3/pools?pageSize=1", { status: 200, schema });
    expect(page.cursor).toMatchObject({ pageSize: 1, data: [read.data] });
    const most = await okBody("GET /v3/pools?pageSize=5000", { status: 200, schema });
    expect(most.cursor.pageSize).toBe(1000);
    expect(await refused("GET /v3/pools?cursor=x")).toEqual([400, "VALIDATION"]);
  });
});

describe("operation 16, POST /api/payments/v3/connectors/install/{connector}", () => {
  test("the installation of a connector refuses a configuration without a required field, and names the field", async () => {
    const path = "POST /v3/connectors/install/dummypay";
    const { status, body } = await call(path, { name: freshName("spec"), provider: "Dummypay" });
    expect(status).toBe(400);
    const { errorCode, errorMessage } = ErrorBody.parse(body);
    expect(errorCode).toBe("VALIDATION");
    expect(errorMessage).toContain("Directory");
  });

  test("the installation of a connector refuses a connector that does not exist", async () => {
    expect(await refused("POST /v3/connectors/install/nobody", { name: "nobody" })).toEqual([
      400,
      "VALIDATION",
    ]);
  });
});

import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { keepEvents, keptEvents } from "#test/support/payments/kept-events.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const IBAN = "FR7630006000011234567890189";
/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v3, v1 } = sdk({ bearer: await token() }).payments;

const create = async (fields: object = {}) => {
  const { v3CreateBankAccountResponse: created, statusCode } = await v3.createBankAccount({
    name: freshName("bank"),
    iban: IBAN,
    ...fields,
  });
  expect(statusCode).toBe(201);
  return created?.data ?? "";
};

describe("bank accounts, through the official client", () => {
  test("bank accounts, through the official client, are created, read with masked numbers, and listed without", async () => {
    const metadata = { tenant: freshName() };
    const id = await create({
      accountNumber: "123456789",
      swiftBicCode: "BNPAFRPP",
      country: "FRA",
      metadata,
    });
    const { v3GetBankAccountResponse: read } = await v3.getBankAccount({ bankAccountID: id });
    expect(read?.data).toMatchObject({
      id,
      accountNumber: "12****789",
      iban: "FR76*******************0189",
      swiftBicCode: "BNPAFRPP",
      country: "FRA",
      metadata,
      relatedAccounts: [],
    });
    const query = { $match: { "metadata[tenant]": metadata.tenant } };
    const { v3BankAccountsCursorResponse: listed } = await v3.listBankAccounts({ query });
    const { accountNumber: _a, iban: _i, swiftBicCode: _s, ...shown } = read?.data ?? {};
    expect(listed?.cursor.data).toEqual([shown]);
  });

  test("bank accounts, through the official client, get metadata added, and other keys stay", async () => {
    const id = await create({ metadata: { a: "1", b: "2" } });
    const change = { metadata: { b: "3", c: "4" } };
    const { statusCode } = await v3.updateBankAccountMetadata({
      bankAccountID: id,
      v3UpdateBankAccountMetadataRequest: change,
    });
    expect(statusCode).toBe(204);
    const { v3GetBankAccountResponse: read } = await v3.getBankAccount({ bankAccountID: id });
    expect(read?.data.metadata).toEqual({ a: "1", b: "3", c: "4" });
  });

  test("bank accounts, through the official client, are refused with codes that it knows", async () => {
    expect(await codeOf(v3.getBankAccount({ bankAccountID: "x" }))).toBe("INVALID_ID");
    expect(await codeOf(v3.getBankAccount({ bankAccountID: UNKNOWN }))).toBe("NOT_FOUND");
    expect(await codeOf(v3.createBankAccount({ name: "no number" }))).toBe("VALIDATION");
    const update = { v3UpdateBankAccountMetadataRequest: { metadata: {} } };
    expect(await codeOf(v3.updateBankAccountMetadata({ bankAccountID: UNKNOWN, ...update }))).toBe(
      "VALIDATION",
    );
    expect(await codeOf(v3.listBankAccounts({ query: { $match: { iban: IBAN } } }))).toBe(
      "VALIDATION",
    );
  });

  test("bank accounts, through the official client, are the same objects in both generations", async () => {
    const { bankAccountResponse: created } = await v1.createBankAccount({
      name: freshName("v1"),
      accountNumber: "123456789",
      country: "",
    });
    const { data } = created ?? {};
    expect(data).toMatchObject({ accountNumber: "12****789", country: "" });
    const bankAccountId = data?.id ?? "";
    const { bankAccountResponse: read } = await v1.getBankAccount({ bankAccountId });
    expect(read?.data).toEqual(data);
    const { statusCode } = await v1.updateBankAccountMetadata({
      bankAccountId,
      updateBankAccountMetadataRequest: { metadata: { seen: "yes" } },
    });
    expect(statusCode).toBe(204);
    const { bankAccountsCursor: listed } = await v1.listBankAccounts({ pageSize: 1 });
    expect(listed?.cursor.data).toMatchObject([{ id: bankAccountId, metadata: { seen: "yes" } }]);
    const { v3GetBankAccountResponse: v3Read } = await v3.getBankAccount({
      bankAccountID: bankAccountId,
    });
    expect(v3Read?.data).toMatchObject({ id: bankAccountId, accountNumber: "12****789" });
    expect(await codeOf(v1.getBankAccount({ bankAccountId: UNKNOWN }))).toBe("NOT_FOUND");
    expect(await codeOf(v1.createBankAccount({ name: "", country: "FR" }))).toBe("VALIDATION");
  });
});

describe("a bank account", () => {
  test.each([
    [{ iban: "FR76 3000 6000 0112" }, "iban"],
    [{ country: "XX", iban: IBAN }, "country"],
    [{ country: "fr", iban: IBAN }, "country"],
    [{ name: "x".repeat(1001), iban: IBAN }, "name"],
    [{ iban: IBAN, metadata: { a: 1 } }, "metadata"],
    [{ iban: IBAN, metadata: { a: "x".repeat(65_536) } }, "metadata"],
  ])("a bank account is refused with the wrong field's name, case %#", async (fields, named) => {
    const response = await api("/api/payments/v3/bank-accounts", {
      body: { name: "bank", ...fields },
    });
    const body = (await bodyOf(response)) as { errorMessage: string }; // every error has this shape
    expect([response.status, body]).toMatchObject([400, { errorCode: "VALIDATION" }]);
    expect(body.errorMessage).toContain(named);
  });

  test("a bank account has no member for what it lacks", async () => {
    const id = await create();
    const { data } = (await bodyOf(await api(`/api/payments/v3/bank-accounts/${id}`))) as {
      data: object;
    };
    expect(Object.keys(data).toSorted()).toEqual([
      "createdAt",
      "iban",
      "id",
      "metadata",
      "name",
      "relatedAccounts",
    ]);
    const upper = await api(`/api/payments/v3/bank-accounts/${id.toUpperCase()}`);
    expect(upper.status).toBe(200);
  });

  test("a bank account is stored encrypted, and told of in an event and the audit", async () => {
    await keepEvents();
    const id = await create({ country: "FR" });
    const row = await env.DB.prepare("SELECT * FROM payment_bank_accounts WHERE id = ?")
      .bind(id)
      .first();
    expect(JSON.stringify(row)).not.toContain(IBAN);
    const told = await keptEvents(id);
    expect(told).toMatchObject([
      {
        app: "payments",
        version: "v3",
        type: "SAVED_BANK_ACCOUNT",
        payload: { id, country: "FR" },
      },
    ]);
    expect(JSON.stringify(told)).not.toContain(IBAN);
    const audited = await env.DB.prepare("SELECT action FROM audit WHERE object = ?")
      .bind(`bank-accounts/${id}`)
      .all();
    expect(audited.results).toEqual([{ action: "payments.bank-account.create" }]);
  });
});

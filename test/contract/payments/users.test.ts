import { describe, expect, test } from "vitest";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v3 } = sdk({ bearer: await token() }).payments;

const createBankAccount = async () => {
  const { v3CreateBankAccountResponse: created } = await v3.createBankAccount({
    name: freshName("bank"),
    accountNumber: "123456789",
  });
  return created?.data ?? "";
};

const createUser = async (fields: object = {}) => {
  const { v3CreatePaymentServiceUserResponse: created, statusCode } =
    await v3.createPaymentServiceUser({ name: freshName("user"), ...fields });
  expect(statusCode).toBe(201);
  return created?.data ?? "";
};

const readUser = async (paymentServiceUserID: string) => {
  const { v3GetPaymentServiceUserResponse: read } = await v3.getPaymentServiceUser({
    paymentServiceUserID,
  });
  return read?.data;
};

/** The client has no parameter for the filter of users. */
const idsWhere = async (filter: object) => {
  const query = encodeURIComponent(JSON.stringify(filter));
  const listed = await api(`/api/payments/v3/payment-service-users?query=${query}`);
  const { cursor } = (await bodyOf(listed)) as { cursor: { data: { id: string }[] } };
  return cursor.data.map(({ id }) => id);
};

describe("payment service users, through the official client", () => {
  test("payment service users, through the official client, are created, read and listed", async () => {
    const tag = freshName();
    const bankAccountID = await createBankAccount();
    const fields = {
      contactDetails: { email: "ada@example.com", phoneNumber: "+33123456789" },
      address: { streetName: "Main", streetNumber: "12b", city: "Paris", country: "FR" },
      bankAccountIDs: [bankAccountID, bankAccountID],
      metadata: { tag },
    };
    const id = await createUser(fields);
    const user = await readUser(id);
    expect(user).toMatchObject({ id, ...fields, bankAccountIDs: [bankAccountID] });
    const { v3PaymentServiceUsersCursorResponse: listed } = await v3.listPaymentServiceUsers({
      pageSize: 1,
    });
    expect(listed?.cursor).toMatchObject({ pageSize: 1, data: [user] });
    expect(await idsWhere({ $match: { "metadata[tag]": tag } })).toEqual([id]);
    const { v3BankAccountsCursorResponse: theirs } = await v3.listBankAccounts({
      query: { $match: { psu_id: id } },
    });
    expect(theirs?.cursor.data.map((account) => account.id)).toEqual([bankAccountID]);
  });

  test("payment service users, through the official client, get bank accounts, each of which belongs to one user", async () => {
    const [first, second] = [await createUser(), await createUser()];
    const bankAccountID = await createBankAccount();
    const add = (paymentServiceUserID: string) =>
      v3.addBankAccountToPaymentServiceUser({ paymentServiceUserID, bankAccountID });
    expect((await add(first)).statusCode).toBe(204);
    expect((await add(first)).statusCode).toBe(204);
    expect((await readUser(first))?.bankAccountIDs).toEqual([bankAccountID]);
    await add(second);
    expect((await readUser(first))?.bankAccountIDs).toEqual([]);
    expect((await readUser(second))?.bankAccountIDs).toEqual([bankAccountID]);
  });

  test("payment service users, through the official client, are refused with codes that it knows", async () => {
    const read = (paymentServiceUserID: string) =>
      codeOf(v3.getPaymentServiceUser({ paymentServiceUserID }));
    expect(await read("x")).toBe("INVALID_ID");
    expect(await read(UNKNOWN)).toBe("NOT_FOUND");
    const create = (fields: object) =>
      codeOf(v3.createPaymentServiceUser({ name: "A", ...fields }));
    expect(await create({ name: "" })).toBe("VALIDATION");
    expect(await create({ contactDetails: { email: "ada" } })).toBe("VALIDATION");
    expect(await create({ contactDetails: { phoneNumber: "home" } })).toBe("VALIDATION");
    expect(await create({ address: { country: "France" } })).toBe("VALIDATION");
    expect(await create({ address: { streetNumber: "12 b" } })).toBe("VALIDATION");
    expect(await create({ bankAccountIDs: ["x"] })).toBe("VALIDATION");
    expect(await create({ bankAccountIDs: [UNKNOWN] })).toBe("NOT_FOUND");
    expect(await codeOf(v3.listPaymentServiceUsers({ cursor: "x" }))).toBe("VALIDATION");
  });
});

describe("a payment service user", () => {
  test("a payment service user has no member for what it lacks", async () => {
    const body = { name: "Ada", contactDetails: null, address: { city: "" }, bankAccountIDs: null };
    const created = await api("/api/payments/v3/payment-service-users", { body });
    const { data: id } = (await bodyOf(created)) as { data: string };
    const read = await api(`/api/payments/v3/payment-service-users/${id}`);
    const { createdAt: _date, ...rest } = ((await bodyOf(read)) as { data: { createdAt: string } })
      .data;
    expect(rest).toEqual({ id, name: "Ada", bankAccountIDs: [], metadata: {} });
  });

  test.each<[{ bankAccountId?: string; userId?: string }, number, string]>([
    [{ bankAccountId: UNKNOWN }, 404, "bank account: not found"],
    [{ userId: UNKNOWN }, 400, "value not found"],
  ])(
    "a payment service user or a bank account that is unknown is named",
    async (unknown, status, text) => {
      const { userId = await createUser(), bankAccountId = await createBankAccount() } = unknown;
      const response = await api(
        `/api/payments/v3/payment-service-users/${userId}/bank-accounts/${bankAccountId}`,
        { method: "POST" },
      );
      expect(response.status).toBe(status);
      const { errorMessage } = (await bodyOf(response)) as { errorMessage: string };
      expect(errorMessage).toContain(`failed to add bank account to payment service user: ${text}`);
    },
  );
});

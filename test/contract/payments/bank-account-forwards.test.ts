import { beforeAll, describe, expect, test } from "vitest";
import { ended, installDummypay, v1, v3 } from "#test/support/payments/installs.ts";
import { keepEvents, keptEvents } from "#test/support/payments/kept-events.ts";
import { codeOf } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const NO_CONNECTOR =
  "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ";

let connectorID: string;
beforeAll(async () => {
  await keepEvents();
  connectorID = await installDummypay();
});

const createUser = async (fields: object = {}) => {
  const { v3CreatePaymentServiceUserResponse: created } = await v3.createPaymentServiceUser({
    name: "Ada",
    ...fields,
  });
  return created?.data ?? "";
};

const createBankAccount = async () => {
  const { v3CreateBankAccountResponse: created } = await v3.createBankAccount({
    name: "Rent",
    iban: "FR7630006000011234567890189",
    country: "FR",
  });
  return created?.data ?? "";
};

describe("a bank account that is forwarded, through the official client", () => {
  test("a forwarded bank account, through the official client, becomes an external account, once", async () => {
    const bankAccountID = await createBankAccount();
    const forwardBank = async () => {
      const { v3ForwardBankAccountResponse: forwarded, statusCode } = await v3.forwardBankAccount({
        bankAccountID,
        v3ForwardBankAccountRequest: { connectorID },
      });
      expect(statusCode).toBe(202);
      return forwarded?.data.taskID ?? "";
    };
    const [taskID, second] = await Promise.all([forwardBank(), forwardBank()]);
    expect(second).toBe(taskID);
    const task = await ended(taskID);
    expect(task).toMatchObject({ status: "SUCCEEDED", connectorID });
    expect(await forwardBank()).toBe(taskID);
    expect((await ended(taskID))?.updatedAt).toEqual(task?.updatedAt);
    const accountID = task?.createdObjectID ?? "";
    const { v3GetAccountResponse: account } = await v3.getAccount({ accountID });
    expect(account?.data).toMatchObject({
      reference: `dummypay-${bankAccountID}`,
      type: "EXTERNAL",
      metadata: {
        "com.formance.spec/owner/name": "Rent",
        "com.formance.spec/owner/iban": "FR76*******************0189",
        "com.formance.spec/owner/country": "FR",
        "com.formance.spec/owner/city": "",
      },
    });
    const { v3GetBankAccountResponse: read } = await v3.getBankAccount({ bankAccountID });
    expect(read?.data.relatedAccounts).toMatchObject([{ accountID }]);
    const told = await keptEvents('"type":"SAVED_BANK_ACCOUNT"', bankAccountID);
    expect(told.map(({ payload }) => payload)).toMatchObject([
      { id: bankAccountID },
      { relatedAccounts: [{ accountID, connectorID, provider: "dummypay" }] },
    ]);
  });

  test("a forwarded bank account, through the official client, gets the address of the user that it is forwarded for", async () => {
    const userId = await createUser({
      contactDetails: { email: "ada@example.com" },
      address: { streetName: "Main Street", streetNumber: "12", city: "Paris" },
    });
    const bankAccountID = await createBankAccount();
    const { v3ForwardPaymentServiceUserBankAccountResponse: forwarded } =
      await v3.forwardPaymentServiceUserBankAccount({
        paymentServiceUserID: userId,
        bankAccountID,
        v3ForwardPaymentServiceUserBankAccountRequest: { connectorID },
      });
    const task = await ended(forwarded?.data.taskID ?? "");
    const { v3GetAccountResponse: account } = await v3.getAccount({
      accountID: task?.createdObjectID ?? "",
    });
    expect(account?.data.metadata).toMatchObject({
      "com.formance.spec/owner/addressLine1": "12 Main Street",
      "com.formance.spec/owner/email": "ada@example.com",
      "com.formance.spec/owner/region": "",
    });
  });

  test("a forwarded bank account, through the official client, is there at once in the first generation", async () => {
    const bankAccountId = await createBankAccount();
    const { bankAccountResponse: forwarded } = await v1.forwardBankAccount({
      bankAccountId,
      forwardBankAccountRequest: { connectorID },
    });
    expect(forwarded?.data.relatedAccounts).toMatchObject([
      { id: "", connectorID, provider: "DUMMY-PAY" },
    ]);
    const { bankAccountResponse: created } = await v1.createBankAccount({
      name: "Salaries",
      accountNumber: "123456789",
      country: "US",
      connectorID,
    });
    expect(created?.data.relatedAccounts).toMatchObject([{ connectorID }]);
  });

  test("a forwarded bank account, through the official client, is refused with codes that it knows", async () => {
    const bankAccountID = await createBankAccount();
    const forwarding = (id: string, connector: string) =>
      codeOf(
        v3.forwardBankAccount({
          bankAccountID: id,
          v3ForwardBankAccountRequest: { connectorID: connector },
        }),
      );
    expect(await forwarding(bankAccountID, "x")).toBe("VALIDATION");
    expect(await forwarding(bankAccountID, NO_CONNECTOR)).toBe("NOT_FOUND");
    expect(await forwarding(UNKNOWN, connectorID)).toBe("NOT_FOUND");
    const legacy = v1.forwardBankAccount({
      bankAccountId: bankAccountID,
      forwardBankAccountRequest: { connectorID: NO_CONNECTOR },
    });
    expect(await codeOf(legacy)).toBe("NOT_FOUND");
  });
});

import { describe, expect, test } from "vitest";
import type { BankAccountDetails } from "#modules/payments/connectors/contract.ts";
import { present } from "#platform/assert.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import {
  mangopaySubject as subject,
  movement,
  SPEC,
  USER,
  WALLET,
} from "#test/support/payments/mangopay.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { assertRefused, assertMovementRefused } from "#test/support/psp/suite.ts";

describe("a movement at Mangopay", () => {
  const money = {
    AuthorId: USER,
    DebitedFunds: { Currency: "EUR", Amount: 1050 },
    Fees: { Currency: "EUR", Amount: 0 },
    DebitedWalletId: WALLET,
    Tag: movement("TRANSFER").reference,
  };
  test.each([
    [movement("TRANSFER"), "/transfers", { CreditedWalletId: "wlt_m_2" }, "SUCCEEDED"],
    [
      movement("PAYOUT"),
      "/payouts/bankwire",
      { BankAccountId: "bankacc_m_2", BankWireRef: "rent42" },
      "PENDING",
    ],
    [
      movement("PAYOUT", { description: "" }),
      "/payouts/bankwire",
      { BankAccountId: "bankacc_m_2" },
      "PENDING",
    ],
  ])(
    "a movement at Mangopay is asked for under its reference",
    async (...[asked, path, more, status]) => {
      const { psp, plugin } = openBench(subject);
      const create = asked.type === "PAYOUT" ? plugin.createPayout : plugin.createTransfer;
      const result = await create?.(asked);
      const request = present(psp.requests.at(-1), "it asks the provider");
      expect(request.path).toBe(`/v2.01/florin${path}`);
      expect(request.headers.get("idempotency-key")).toBe(asked.reference);
      expect(request.json()).toEqual({ ...money, ...more });
      expect(result).toMatchObject({
        payment: {
          reference: "trn_m_1",
          type: asked.type,
          status,
          amount: 1050n,
          asset: "EUR/2",
          sourceReference: WALLET,
          destinationReference: asked.destination?.reference,
        },
      });
    },
  );

  const { source: _source, ...sourceless } = movement("TRANSFER");
  const { destination: _destination, ...aimless } = movement("PAYOUT");
  test.each([
    ["without a source", sourceless, "source account is required"],
    ["without a destination", aimless, "destination account is required"],
    ["of nothing", movement("PAYOUT", { amount: 0n }), "amount must be positive"],
    ["in another currency", movement("TRANSFER", { asset: "XBT/8" }), "XBT/8"],
    ["under another reference", movement("TRANSFER", { reference: "order-1" }), "a UUID"],
    [
      "from a wallet of nobody",
      movement("TRANSFER", { source: { reference: WALLET, metadata: {} } }),
      "metadata with userID",
    ],
    ["with a long text", movement("PAYOUT", { description: "rent for 2026" }), "12 letters"],
    ["with signs", movement("PAYOUT", { description: "rent-42" }), "12 letters"],
  ])("%s is refused without a call", async (_, asked, message) => {
    await assertMovementRefused(openBench(subject), asked, message);
  });

  test("a movement at Mangopay is made once, even if the provider has forgotten its key", async () => {
    const { psp, plugin } = openBench(subject);
    const dayBefore = fromMillis(toMillis(NOW) - 86_400_000 * 60);
    const asked = movement("PAYOUT", { createdAt: dayBefore });
    await plugin.createPayout?.(asked);
    psp.forgetKeys();
    const again = await plugin.createPayout?.(asked);
    expect(again).toMatchObject({ payment: { reference: "trn_m_1", status: "PENDING" } });
    expect(psp.transactions).toHaveLength(1);
    const other = { ...asked, reference: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e99" };
    await plugin.createPayout?.(other);
    expect(psp.transactions).toHaveLength(2);
  });

  test.each([
    ["in another currency", { DebitedFunds: { Currency: "USD", Amount: 1 } }],
    ["that cannot be read", { DebitedFunds: "much" }],
  ])("a movement at Mangopay whose answer has one %s may have been made", async (_, answered) => {
    const { psp, plugin } = openBench(subject);
    psp.answered = answered;
    const call = plugin.createTransfer?.(movement("TRANSFER"));
    await expect(call).rejects.toMatchObject({ kind: "unknown" });
  });
});

describe("a bank account for Mangopay", () => {
  const { details } = subject.bankAccounts;
  const { iban: _iban, swiftBicCode: _bic, country: _country, ...bare } = details;
  const numbered = { ...bare, accountNumber: "11696419" };
  const spec = (values: Readonly<Record<string, string>>) => ({
    ...details.metadata,
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [SPEC + name, value])),
  });
  const create = async (account: BankAccountDetails) => {
    const { psp, plugin } = openBench(subject);
    const made = await plugin.createBankAccount?.(account);
    return { made, request: present(psp.requests.at(-1), "it asks the provider") };
  };

  const AccountNumber = "11696419";
  test.each([
    ["iban", details, { IBAN: "FR7630006000011234567890189", BIC: "AGRIFRPP" }],
    [
      "us",
      {
        ...numbered,
        country: "US",
        metadata: spec({ aba: "071000288", depositAccountType: "CHECKING" }),
      },
      { AccountNumber, ABA: "071000288", DepositAccountType: "CHECKING" },
    ],
    [
      "ca",
      {
        ...numbered,
        country: "CA",
        metadata: spec({ institutionNumber: "614", branchCode: "00152", bankName: "Big Bank" }),
      },
      { AccountNumber, InstitutionNumber: "614", BranchCode: "00152", BankName: "Big Bank" },
    ],
    [
      "gb",
      { ...numbered, country: "GB", metadata: spec({ sortCode: "010039" }) },
      { AccountNumber, SortCode: "010039" },
    ],
    [
      "other",
      { ...numbered, country: "JP", swiftBicCode: "BOTKJPJT" },
      { AccountNumber, BIC: "BOTKJPJT", Country: "JP" },
    ],
  ])("a bank account for Mangopay is of the kind %s", async (kind, account, numbers) => {
    const { made, request } = await create(account);
    expect(request.path).toBe(`/v2.01/florin/users/${USER}/bankaccounts/${kind}`);
    expect(request.headers.get("idempotency-key")).toBe(details.id);
    expect(request.json()).toMatchObject({ OwnerName: "Ada", ...numbers });
    expect(made).toMatchObject({ name: "Ada", metadata: { user_id: USER } });
  });

  test("a bank account for Mangopay has the address of its owner, and a tag", async () => {
    const OWNER = "com.formance.spec/owner/";
    const address = { [`${OWNER}addressLine1`]: "12 Main Street", [`${OWNER}city`]: "Paris" };
    const metadata = { ...spec({ tag: "42" }), ...address };
    const { request } = await create({ ...details, metadata });
    expect(request.json()).toMatchObject({
      Tag: "42",
      OwnerAddress: { AddressLine1: "12 Main Street", City: "Paris", Country: "FR" },
    });
  });

  test.each([
    ["a user", { ...details, metadata: {} }, "com.mangopay.spec/userID is required"],
    ["a number", { ...bare, country: "US" }, "an IBAN or an account number is required"],
    ["a country", numbered, "the country of the bank account is required"],
    ["an ABA in the US", { ...numbered, country: "US" }, "com.mangopay.spec/aba is required"],
    ["a bank in Canada", { ...numbered, country: "CA" }, "institutionNumber is required"],
    ["a sort code in Britain", { ...numbered, country: "GB" }, "sortCode is required"],
    ["a BIC elsewhere", { ...numbered, country: "JP" }, "the BIC of the bank account is required"],
  ])("a bank account for Mangopay is not made without %s", async (_, account, message) => {
    const { psp, plugin } = openBench(subject);
    const call = plugin.createBankAccount?.(account);
    await assertRefused(psp, call, message);
  });
});

import { expect, test } from "vitest";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { parseJson } from "#platform/json.ts";

test.each([
  ["an account number", { account_number: "000123456789" }, { account_number: "***6789" }],
  ["a number that is a number", { accountNumber: 123456789n }, { accountNumber: "***6789" }],
  ["a short number, of which nothing is left", { number: "12345678" }, { number: "***" }],
  ["an IBAN", { iban: "DE89370400440532013000" }, { iban: "***3000" }],
  ["an IBAN in a text", { note: "to DE89 3704 0044 0532 0130 00." }, { note: "to ***3000." }],
  [
    "a secret",
    { payment_intent: { client_secret: "pi_1_secret_2" } },
    { payment_intent: { client_secret: "***" } },
  ],
  ["secrets in lists", [{ secret: "whsec_1" }, null], [{ secret: "***" }, null]],
])("the stored raw object of a provider hides %s", (_, sent, kept) => {
  expect(parseJson(rawOf(sent))).toEqual(kept);
});

test("the stored raw object of a provider has all other members", () => {
  const sent = {
    id: "ba_1",
    last4: "3000",
    amount: 12345678901234567890n,
    rate: null,
    reference: "DE89370400440532013001",
    order: "AB12 CDEF GHIJ",
    secret: { is: "kept" },
  };
  expect(parseJson(rawOf(sent))).toEqual(sent);
});

import { z } from "zod";
import { type AtlarClient, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";
import { fromMicros, toMicros } from "#platform/time.ts";

/** The currencies of payments. Amounts are in minor units. */
export const CURRENCIES = new kit.Currencies({ known: ["EUR", "DKK"] });

/** The states of transactions; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  EXPECTED: "PENDING",
  BOOKED: "SUCCEEDED",
  RECONCILED: "SUCCEEDED",
};

const Transaction = z.object({
  id: kit.Text,
  created: kit.Date3339,
  amount: z.object({ currency: kit.Text, value: kit.Amount }),
  account: z.object({ id: kit.Text }),
  description: kit.OptionalText,
  reconciliation: z
    .object({
      status: kit.OptionalText,
      transactableId: kit.OptionalText,
      transactableType: kit.OptionalText,
    })
    .nullish(),
  remittanceInformation: z.object({ type: kit.OptionalText, value: kit.OptionalText }).nullish(),
});
type Transaction = z.output<typeof Transaction>;

const Account = z.object({
  name: kit.OptionalText,
  thirdPartyId: kit.OptionalText,
  bank: z.object({ id: kit.OptionalText, bic: kit.OptionalText }).nullish(),
});

/** The transactions of all accounts. */
export function fetchPayments(
  client: AtlarClient,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  // An account is requested once for a page, however many of the transactions belong to it.
  const accounts = new Map<string, Readonly<Record<string, string>>>();
  return kit.fetchTokenList(request, {
    readPage: (place) => client.list("/v1/transactions", place),
    read: async (value) => {
      const { id } = kit.parseObject(Transaction, value, "a transaction").account;
      const known = accounts.get(id) ?? (await readAccount(client, id));
      accounts.set(id, known);
      return toPayment(value, known);
    },
  });
}

/** The metadata that a transaction gets from its account. */
async function readAccount(
  client: AtlarClient,
  id: string,
): Promise<Readonly<Record<string, string>>> {
  const path = `/v1/accounts/${encodeURIComponent(id)}`;
  const account = await client.find({ path }, Account, "an account");
  const { thirdPartyId, bank } = account ?? {};
  return SPEC.write({
    "account/name": account?.name,
    "bank/id": bank?.id,
    "bank/bic": bank?.bic,
    "bank/name": thirdPartyId === undefined ? undefined : await client.bankName(thirdPartyId),
  });
}

/** The payment of a booked transaction; undefined if the provider does not have the transaction. */
export async function readPayment(
  client: AtlarClient,
  id: string,
): Promise<kit.ProviderPayment | undefined> {
  const path = `/v1/transactions/${encodeURIComponent(id)}`;
  const value = await client.find({ path }, z.unknown(), "a transaction");
  if (value === undefined) return undefined;
  const { account } = kit.parseObject(Transaction, value, "a transaction");
  return toPayment(value, await readAccount(client, account.id));
}

/** The payment of a transaction, whose sign decides the direction; undefined and logged for an unsupported currency. */
export function toPayment(
  value: unknown,
  account: Readonly<Record<string, string>>,
): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { id, created, reconciliation } = transaction;
  const { currency, value: units } = transaction.amount;
  const magnitude = units < 0n ? -units : units;
  const amount = CURRENCIES.fromUnits(magnitude, currency);
  if (amount === undefined) {
    const why = "a transaction in a currency that is not supported is left out";
    log("info", why, { provider: "atlar", id, currency });
    return undefined;
  }
  const own = transaction.account.id;
  const status = kit.rowOf(STATUSES, reconciliation?.status) ?? "OTHER";
  return {
    reference: id,
    // A booked state must be later than the expected one, but the provider gives no time of booking.
    createdAt: status === "PENDING" ? created : fromMicros(toMicros(created) + 1n),
    ...(units >= 0n
      ? { type: "PAY-IN", destinationReference: own }
      : { type: "PAYOUT", sourceReference: own }),
    ...amount,
    scheme: schemeOf(units),
    status,
    metadata: { ...account, ...metadataOf(transaction) },
    raw: kit.rawOf(value),
  };
}

function schemeOf(units: bigint): kit.PaymentScheme {
  if (units === 0n) return "SEPA";
  return units > 0n ? "SEPA_DEBIT" : "SEPA_CREDIT";
}

const metadataOf = ({ description, reconciliation, remittanceInformation }: Transaction) =>
  SPEC.write({
    description,
    "reconciliation/transactableId": reconciliation?.transactableId,
    "reconciliation/transactableType": reconciliation?.transactableType,
    "remittanceInformation/type": remittanceInformation?.type,
    "remittanceInformation/value": remittanceInformation?.value,
  });

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
  // An account is asked for once in a page, however many transactions it has.
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

/** What is told of the account of a transaction. */
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

/** The transaction that a credit transfer has become; undefined where it is not there. */
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

/** A transaction by its sign; undefined for another currency, with a line in the log. */
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
    // What is booked is later than what was expected, although the provider does not say when that was.
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

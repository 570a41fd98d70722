import { z } from "zod";
import { type ColumnClient, CURRENCIES, SPEC } from "./client.ts";
import { statusOf } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export type ColumnMoney = kit.ClientWith<ColumnClient, "store">;

/** Statuses of book transfers that this connector creates, if they deviate from those of other transfers. */
export const BOOK_STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  completed: "SUCCEEDED",
  rejected: "FAILED",
  canceled: "FAILED",
  hold: "PENDING",
};

/** Moves money between two bank accounts of the platform. */
export async function createTransfer(
  { client }: ColumnMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = kit.requireComplete(movement);
  const { source, destination } = order;
  if (source.name === undefined || source.name === "") {
    throw kit.refused("source account name is required in transfer request");
  }
  const json = {
    ...moneyOf(order),
    sender_bank_account_id: source.reference,
    receiver_bank_account_id: destination.reference,
    allow_overdraft: flagOf(order, "allow_overdraft"),
    hold: flagOf(order, "hold"),
    details: detailsOf(order, source.name),
  };
  const value = await client.create("/transfers/book", json, order.reference);
  const { status, ...payment } = readMade(value, order);
  const key = status.toLowerCase();
  return { payment: { ...payment, status: kit.rowOf(BOOK_STATUSES, key) ?? statusOf(status) } };
}

const MERCHANT = ["merchant_name", "merchant_category_code"] as const;
const ADDRESS = ["line_1", "line_2", "city", "state", "postal_code", "country_code"] as const;

/** The details of the sender on the statement of the receiver. */
function detailsOf(order: kit.CompleteMovement, senderName: string): object {
  const address = ADDRESS.map((name) => [name, SPEC.find(order, `address_${name}`)] as const);
  const hasAddress = address.some(([, value]) => value !== undefined);
  return {
    sender_name: senderName,
    ...Object.fromEntries(MERCHANT.map((name) => [name, SPEC.find(order, name)])),
    ...(hasAddress ? { address: Object.fromEntries(address) } : {}),
  };
}

/** The optional fields of a type of payouts, by the kind of their values. */
type Options = Readonly<Record<string, "text" | "flag">>;

interface PayoutType {
  readonly path: string;
  readonly options: Options;
  readonly fixed?: Readonly<Record<string, string>>;
}

/** The types of payouts. The metadata of an initiation may have an option under its name. */
export const PAYOUT_TYPES: Readonly<Record<string, PayoutType>> = {
  ach: {
    path: "/transfers/ach",
    fixed: { type: "CREDIT" },
    options: {
      allow_overdraft: "flag",
      same_day: "flag",
      entry_class_code: "text",
      effective_date: "text",
      company_name: "text",
      company_discretionary_data: "text",
      company_entry_description: "text",
      payment_related_info: "text",
      receiver_id: "text",
      receiver_name: "text",
    },
  },
  wire: { path: "/transfers/wire", options: { allow_overdraft: "flag" } },
  realtime: { path: "/transfers/realtime", options: { allow_overdraft: "flag" } },
  "international-wire": {
    path: "/transfers/international-wire",
    options: {
      allow_overdraft: "flag",
      fx_quote_id: "text",
      charge_bearer: "text",
      general_info: "text",
      message_to_beneficiary_bank: "text",
      remittance_info: "text",
    },
  },
};

/** Moves money to an account at another bank. */
export async function createPayout(
  { client, store }: ColumnMoney,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = kit.requireComplete(movement);
  const name = SPEC.find(order, "payout_type");
  const type = kit.rowOf(PAYOUT_TYPES, name);
  if (type === undefined) {
    throw kit.notOneOf(SPEC.nameOf("payout_type"), name, Object.keys(PAYOUT_TYPES));
  }
  const json = {
    ...moneyOf(order),
    ...type.fixed,
    bank_account_id: order.source.reference,
    counterparty_id: order.destination.reference,
    ...optionsOf(order, type),
  };
  const value = await client.create(type.path, json, order.reference);
  const { status, ...payment } = readMade(value, order);
  if (name === "ach") await noteTransfer(store, order, payment.reference);
  return { payment: { ...payment, status: statusOf(status) } };
}

const optionsOf = (
  order: kit.CompleteMovement,
  { options }: PayoutType,
): Readonly<Record<string, string | boolean | undefined>> =>
  Object.fromEntries(
    Object.entries(options).map(([option, kind]) => [
      option,
      kind === "flag" ? flagOf(order, option) : SPEC.find(order, option),
    ]),
  );

/** The name under which the id of the transfer of an initiation is stored. A reversal needs the id. */
const nameOf = ({ reference }: Pick<kit.Movement, "reference">): string =>
  `ach/${kit.sha256(reference, "hex")}`;

async function noteTransfer(
  store: kit.PluginStore,
  order: kit.CompleteMovement,
  value: string,
): Promise<void> {
  await store.insert({ name: nameOf(order), value });
}

/** The reasons for which an ACH transfer may be reversed. */
export const REVERSAL_REASONS = [
  "duplicated_entry",
  "incorrect_amount",
  "incorrect_receiver_account",
  "debit_earlier_than_intended",
  "credit_later_than_intended",
] as const;

/** Reverses an ACH transfer as a whole. */
export async function reversePayout(
  { client, store }: ColumnMoney,
  reversal: kit.Reversal,
): Promise<kit.ProviderPayment> {
  const { movement, metadata } = reversal;
  const reason = metadata[SPEC.nameOf("reason")] ?? metadata["reason"];
  if (!REVERSAL_REASONS.some((each) => each === reason)) {
    throw kit.notOneOf(SPEC.nameOf("reason"), reason, REVERSAL_REASONS);
  }
  if (reversal.amount !== movement.amount) {
    throw kit.refused("an ACH transfer is reversed as a whole");
  }
  const id = await store.find(nameOf(movement));
  if (id === undefined) throw kit.refused("only a payout by ACH that was made here is reversed");
  const path = `/transfers/ach/${encodeURIComponent(id)}/reverse`;
  const json = { reason, description: textOf(reversal) };
  const value = await client.create(path, json, reversal.reference);
  const { status: _status, ...payment } = readMade(value, kit.requireComplete(movement));
  return { ...payment, parentReference: id, status: "REFUNDED" };
}

const Made = z.object({
  id: kit.Text,
  created_at: kit.Date3339,
  amount: kit.Amount,
  currency_code: kit.Text,
  status: kit.Text,
});

/** The payment of a created transfer, with the provider's own status. */
function readMade(
  value: unknown,
  order: kit.CompleteMovement,
): Omit<kit.ProviderPayment, "status"> & { readonly status: string } {
  const { type, asset } = order;
  const made = Made.safeParse(value);
  const amount = made.data && CURRENCIES.fromUnits(made.data.amount, made.data.currency_code);
  // The transfer was created, although the answer is not valid.
  if (made.data === undefined || amount === undefined) {
    throw kit.outcomeUnknown("the answer to a transfer is not valid");
  }
  if (amount.asset !== asset) {
    throw kit.outcomeUnknown(`the provider has moved ${amount.asset} and not ${asset}`);
  }
  const { id, created_at, status } = made.data;
  return {
    reference: id,
    createdAt: created_at,
    type,
    ...amount,
    scheme: "OTHER",
    status,
    ...kit.endsOf(order),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

function moneyOf(order: kit.CompleteMovement): object {
  const { units, currency } = CURRENCIES.toUnits(order);
  return { amount: units, currency_code: currency, description: textOf(order) };
}

const textOf = ({ description }: Pick<kit.Movement, "description">): string | undefined =>
  description === "" ? undefined : description;

function flagOf(order: kit.CompleteMovement, name: string): boolean | undefined {
  const value = SPEC.find(order, name);
  if (value === undefined || value === "true" || value === "false") {
    return value === undefined ? undefined : value === "true";
  }
  throw kit.refused(`${SPEC.nameOf(name)} is '${value}', and not 'true' or 'false'`);
}

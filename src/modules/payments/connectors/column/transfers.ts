import { z } from "zod";
import { type ColumnClient, CURRENCIES, PREFIX } from "./client.ts";
import { statusOf } from "./payments.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  Movement,
  MovementResult,
  PluginStore,
  Reversal,
  StoredAccount,
} from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import { Amount, Date3339, Text } from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { sha256 } from "#modules/payments/connectors/kit/signatures.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";

export interface ColumnMoney {
  readonly client: ColumnClient;
  readonly store: PluginStore;
}

/** The statuses of book transfers that are made here; all others are as those of other transfers. */
export const BOOK_STATUSES: Readonly<Record<string, PaymentStatus>> = {
  completed: "SUCCEEDED",
  rejected: "FAILED",
  canceled: "FAILED",
  hold: "PENDING",
};

/** A movement whose accounts are there. */
interface Order extends Movement {
  readonly source: StoredAccount;
  readonly destination: StoredAccount;
}

/** Moves money between two bank accounts of the platform. */
export async function createTransfer(
  { client }: ColumnMoney,
  movement: Movement,
): Promise<MovementResult> {
  const order = orderOf(movement);
  const { source, destination } = order;
  if (source.name === undefined || source.name === "") {
    throw refused("source account name is required in transfer request");
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
  return { payment: { ...payment, status: rowOf(BOOK_STATUSES, key) ?? statusOf(status) } };
}

const MERCHANT = ["merchant_name", "merchant_category_code"] as const;
const ADDRESS = ["line_1", "line_2", "city", "state", "postal_code", "country_code"] as const;

/** What the statement of the receiver says of the sender. */
function detailsOf(order: Order, senderName: string): object {
  const address = ADDRESS.map((name) => [name, optional(order, `address_${name}`)] as const);
  const hasAddress = address.some(([, value]) => value !== undefined);
  return {
    sender_name: senderName,
    ...Object.fromEntries(MERCHANT.map((name) => [name, optional(order, name)])),
    ...(hasAddress ? { address: Object.fromEntries(address) } : {}),
  };
}

/** What an initiation may say of a payout, by the kind of its value. */
type Options = Readonly<Record<string, "text" | "flag">>;

interface PayoutType {
  readonly path: string;
  readonly options: Options;
  readonly fixed?: Readonly<Record<string, string>>;
}

/** The types of payouts; an option has its name in the metadata of the initiation. */
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
  movement: Movement,
): Promise<MovementResult> {
  const order = orderOf(movement);
  const name = optional(order, "payout_type");
  const type = rowOf(PAYOUT_TYPES, name);
  if (type === undefined) {
    const known = Object.keys(PAYOUT_TYPES).join(", ");
    throw refused(`${PREFIX}payout_type is '${name ?? ""}', and not one of ${known}`);
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
  order: Order,
  { options }: PayoutType,
): Readonly<Record<string, string | boolean | undefined>> =>
  Object.fromEntries(
    Object.entries(options).map(([option, kind]) => [
      option,
      kind === "flag" ? flagOf(order, option) : optional(order, option),
    ]),
  );

/** Where the id of the transfer is kept that was made for an initiation: a reversal needs it. */
const nameOf = ({ reference }: Pick<Movement, "reference">): string =>
  `ach/${sha256(reference, "hex")}`;

async function noteTransfer(store: PluginStore, order: Order, value: string): Promise<void> {
  await store.insert({ name: nameOf(order), value });
}

/** Why an ACH transfer may be taken back. */
export const REVERSAL_REASONS = [
  "duplicated_entry",
  "incorrect_amount",
  "incorrect_receiver_account",
  "debit_earlier_than_intended",
  "credit_later_than_intended",
] as const;

/** Takes an ACH transfer back, all of it. */
export async function reversePayout(
  { client, store }: ColumnMoney,
  reversal: Reversal,
): Promise<ProviderPayment> {
  const { movement, metadata } = reversal;
  const reason = metadata[`${PREFIX}reason`] ?? metadata["reason"];
  if (!REVERSAL_REASONS.some((each) => each === reason)) {
    const known = REVERSAL_REASONS.join(", ");
    throw refused(`${PREFIX}reason is '${reason ?? ""}', and not one of ${known}`);
  }
  if (reversal.amount !== movement.amount) throw refused("an ACH transfer is reversed as a whole");
  const id = await store.find(nameOf(movement));
  if (id === undefined) throw refused("only a payout by ACH that was made here is reversed");
  const path = `/transfers/ach/${encodeURIComponent(id)}/reverse`;
  const json = { reason, description: textOf(reversal) };
  const value = await client.create(path, json, reversal.reference);
  const { status: _status, ...payment } = readMade(value, orderOf(movement));
  return { ...payment, parentReference: id, status: "REFUNDED" };
}

const Made = z.object({
  id: Text,
  created_at: Date3339,
  amount: Amount,
  currency_code: Text,
  status: Text,
});

/** The payment that was made, with the provider's own status. */
function readMade(
  value: unknown,
  { type, source, destination, asset }: Order,
): Omit<ProviderPayment, "status"> & { readonly status: string } {
  const made = Made.safeParse(value);
  const amount = made.data && CURRENCIES.fromUnits(made.data.amount, made.data.currency_code);
  // It was made, whatever is wrong with the answer.
  if (made.data === undefined || amount === undefined) {
    throw new ConnectorError("unknown", "the answer to a transfer is not valid");
  }
  if (amount.asset !== asset) {
    throw new ConnectorError("unknown", `the provider has moved ${amount.asset} and not ${asset}`);
  }
  const { id, created_at, status } = made.data;
  return {
    reference: id,
    createdAt: created_at,
    type,
    ...amount,
    scheme: "OTHER",
    status,
    sourceReference: source.reference,
    destinationReference: destination.reference,
    metadata: {},
    raw: rawOf(value),
  };
}

function orderOf(movement: Movement): Order {
  const { source, destination, amount } = movement;
  const request = "in transfer/payout request";
  if (source === undefined) throw refused(`source account is required ${request}`);
  if (destination === undefined) throw refused(`destination account is required ${request}`);
  if (amount <= 0n) throw refused("amount must be positive");
  return { ...movement, source, destination };
}

function moneyOf(order: Order): object {
  const { units, currency } = CURRENCIES.toUnits(order);
  return { amount: units, currency_code: currency, description: textOf(order) };
}

const textOf = ({ description }: Pick<Movement, "description">): string | undefined =>
  description === "" ? undefined : description;

function optional({ metadata }: Order, name: string): string | undefined {
  const value = metadata[`${PREFIX}${name}`];
  return value === "" ? undefined : value;
}

function flagOf(order: Order, name: string): boolean | undefined {
  const value = optional(order, name);
  if (value === undefined || value === "true" || value === "false") {
    return value === undefined ? undefined : value === "true";
  }
  throw refused(`${PREFIX}${name} is '${value}', and not 'true' or 'false'`);
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);

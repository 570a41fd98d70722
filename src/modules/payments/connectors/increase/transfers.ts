import { z } from "zod";
import { CURRENCIES, type IncreaseClient, PREFIX } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  Movement,
  MovementResult,
  StoredAccount,
} from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import { Amount, Date3339, Text } from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";

/** The statuses of transfers of all kinds. Those that begin with `pending_` are `PENDING`, and all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  requires_attention: "PENDING",
  complete: "SUCCEEDED",
  mailed: "SUCCEEDED",
  deposited: "SUCCEEDED",
  submitted: "SUCCEEDED",
  canceled: "CANCELLED",
  rejected: "CANCELLED",
  stopped: "CANCELLED",
  reversed: "REFUNDED",
  returned: "REFUNDED",
};

export function statusOf(status: string): PaymentStatus {
  if (status.startsWith("pending_")) return "PENDING";
  return rowOf(STATUSES, status) ?? "OTHER";
}

/** A movement whose accounts are there. */
interface Order extends Movement {
  readonly source: StoredAccount;
  readonly destination: StoredAccount;
}

/** Moves money between two accounts of the key. */
export function createTransfer(
  client: IncreaseClient,
  movement: Movement,
): Promise<MovementResult> {
  const order = orderOf(movement);
  return make(client, order, {
    path: "/account_transfers",
    json: {
      account_id: order.source.reference,
      destination_account_id: order.destination.reference,
      amount: unitsOf(order),
      description: descriptionOf(order),
    },
  });
}

interface ApiOrder {
  readonly path: string;
  readonly json: object;
}

/** What each payout method asks for. */
const METHODS: Readonly<Record<string, (order: Order) => ApiOrder>> = {
  ach: (order) => ({
    path: "/ach_transfers",
    json: { ...fromAccount(order), statement_descriptor: descriptionOf(order) },
  }),
  wire: (order) => ({
    path: "/wire_transfers",
    json: {
      ...fromAccount(order),
      beneficiary_name: nameOf(order.destination),
      message_to_recipient: descriptionOf(order),
    },
  }),
  check: (order) => ({ path: "/check_transfers", json: checkOf(order) }),
  rtp: (order) => ({
    path: "/real_time_payments_transfers",
    json: {
      source_account_number_id: required(order, "sourceAccountNumberID"),
      external_account_id: order.destination.reference,
      amount: unitsOf(order),
      creditor_name: nameOf(order.destination),
      remittance_information: descriptionOf(order),
    },
  }),
};

/** Moves money to an account at another bank, or sends a check. */
export async function createPayout(
  client: IncreaseClient,
  movement: Movement,
): Promise<MovementResult> {
  const order = orderOf(movement);
  const name = required(order, "payoutMethod");
  const method = rowOf(METHODS, name);
  if (method === undefined) {
    throw refused(`${PREFIX}payoutMethod is '${name}', and not one of ach, wire, check, rtp`);
  }
  return make(client, order, method(order));
}

const fromAccount = (order: Order) => ({
  account_id: order.source.reference,
  external_account_id: order.destination.reference,
  amount: unitsOf(order),
});

function checkOf(order: Order): object {
  const method = required(order, "fulfillmentMethod");
  const common = {
    account_id: order.source.reference,
    source_account_number_id: required(order, "sourceAccountNumberID"),
    amount: unitsOf(order),
    fulfillment_method: method,
  };
  if (method === "third_party") {
    const recipient_name = order.destination.name;
    const check_number = optional(order, "checkNumber");
    return { ...common, third_party: { recipient_name, check_number } };
  }
  if (method !== "physical_check") {
    throw refused(
      `${PREFIX}fulfillmentMethod is '${method}', and not one of third_party, physical_check`,
    );
  }
  return {
    ...common,
    physical_check: {
      memo: descriptionOf(order),
      recipient_name: nameOf(order.destination),
      mailing_address: {
        line1: required(order, "addressLine1"),
        line2: optional(order, "addressLine2"),
        city: required(order, "addressCity"),
        state: required(order, "addressState"),
        postal_code: required(order, "addressPostalCode"),
      },
    },
  };
}

const Made = z.object({
  id: Text,
  amount: Amount,
  currency: Text,
  created_at: Date3339,
  status: z.string(),
});

/** The id of the transfer is the reference of the payment: the transactions that follow from it name it. */
async function make(
  client: IncreaseClient,
  { type, reference, source, destination, asset }: Order,
  { path, json }: ApiOrder,
): Promise<MovementResult> {
  const value = await client.create(path, json, reference);
  const made = Made.safeParse(value);
  const amount = made.success && CURRENCIES.fromUnits(made.data.amount, made.data.currency);
  // It was made, whatever is wrong with the answer.
  if (!made.success || amount === undefined || amount === false) {
    throw new ConnectorError("unknown", "the answer to a transfer is not valid");
  }
  if (amount.asset !== asset) {
    throw new ConnectorError("unknown", `the provider has moved ${amount.asset} and not ${asset}`);
  }
  const { id, created_at, status } = made.data;
  return {
    payment: {
      reference: id,
      createdAt: created_at,
      type,
      ...amount,
      scheme: "OTHER",
      status: statusOf(status),
      sourceReference: source.reference,
      destinationReference: destination.reference,
      metadata: {},
      raw: rawOf(value),
    },
  };
}

/** The provider is told no currency: an amount is one of the account that it comes from. */
function orderOf(movement: Movement): Order {
  const { source, destination, amount, asset } = movement;
  const request = "in transfer/payout request";
  if (source === undefined) throw refused(`source account is required ${request}`);
  if (destination === undefined) throw refused(`destination account is required ${request}`);
  if (amount <= 0n) throw refused("amount must be positive");
  const { defaultAsset } = source;
  if (defaultAsset !== undefined && CURRENCIES.assetOf(currencyOfAsset(asset)) !== defaultAsset) {
    throw refused(`the source account holds ${defaultAsset} and not ${asset}`);
  }
  return { ...movement, source, destination };
}

const currencyOfAsset = (asset: string): string =>
  CURRENCIES.toUnits({ amount: 0n, asset }).currency;

const unitsOf = (order: Order): bigint => CURRENCIES.toUnits(order).units;

function descriptionOf({ description }: Order): string {
  if (description !== "") return description;
  throw refused("description is required in transfer/payout request");
}

function nameOf({ name }: StoredAccount): string {
  if (name !== undefined && name !== "") return name;
  throw refused("destination account name is required in payout request");
}

function optional({ metadata }: Order, name: string): string | undefined {
  const value = metadata[`${PREFIX}${name}`];
  return value === "" ? undefined : value;
}

function required(order: Order, name: string): string {
  const value = optional(order, name);
  if (value !== undefined) return value;
  throw refused(`${PREFIX}${name} is required in the metadata of this payout`);
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);

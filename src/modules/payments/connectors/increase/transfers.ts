import { z } from "zod";
import { CURRENCIES, type IncreaseClient, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The statuses of transfers of all kinds. Statuses that begin with `pending_` are `PENDING`, and all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
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

export function statusOf(status: string): kit.PaymentStatus {
  if (status.startsWith("pending_")) return "PENDING";
  return kit.rowOf(STATUSES, status) ?? "OTHER";
}

/** Moves money between two accounts of the API key. */
export function createTransfer(
  client: IncreaseClient,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
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

/** The requests of the payout methods. */
const METHODS: Readonly<Record<string, (order: kit.CompleteMovement) => ApiOrder>> = {
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
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const order = orderOf(movement);
  const name = required(order, "payoutMethod");
  const method = kit.rowOf(METHODS, name);
  if (method === undefined) {
    throw kit.notOneOf(SPEC.nameOf("payoutMethod"), name, Object.keys(METHODS));
  }
  return make(client, order, method(order));
}

const fromAccount = (order: kit.CompleteMovement) => ({
  account_id: order.source.reference,
  external_account_id: order.destination.reference,
  amount: unitsOf(order),
});

function checkOf(order: kit.CompleteMovement): object {
  const method = required(order, "fulfillmentMethod");
  const common = {
    account_id: order.source.reference,
    source_account_number_id: required(order, "sourceAccountNumberID"),
    amount: unitsOf(order),
    fulfillment_method: method,
  };
  if (method === "third_party") {
    const recipient_name = order.destination.name;
    const check_number = SPEC.find(order, "checkNumber");
    return { ...common, third_party: { recipient_name, check_number } };
  }
  if (method !== "physical_check") {
    throw kit.notOneOf(SPEC.nameOf("fulfillmentMethod"), method, ["third_party", "physical_check"]);
  }
  return {
    ...common,
    physical_check: {
      memo: descriptionOf(order),
      recipient_name: nameOf(order.destination),
      mailing_address: {
        line1: required(order, "addressLine1"),
        line2: SPEC.find(order, "addressLine2"),
        city: required(order, "addressCity"),
        state: required(order, "addressState"),
        postal_code: required(order, "addressPostalCode"),
      },
    },
  };
}

const Made = z.object({
  id: kit.Text,
  amount: kit.Amount,
  currency: kit.Text,
  created_at: kit.Date3339,
  status: z.string(),
});

/** Creates a transfer. Its id is the reference of the payment, because the transactions of the transfer contain the id. */
async function make(
  client: IncreaseClient,
  order: kit.CompleteMovement,
  { path, json }: ApiOrder,
): Promise<kit.MovementResult> {
  const { type, reference, asset } = order;
  const value = await client.create(path, json, reference);
  const made = Made.safeParse(value);
  const amount = made.success && CURRENCIES.fromUnits(made.data.amount, made.data.currency);
  // The transfer was created, although the answer is not valid.
  if (!made.success || amount === undefined || amount === false) {
    throw kit.outcomeUnknown("the answer to a transfer is not valid");
  }
  if (amount.asset !== asset) {
    throw kit.outcomeUnknown(`the provider has moved ${amount.asset} and not ${asset}`);
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
      ...kit.endsOf(order),
      metadata: {},
      raw: kit.rawOf(value),
    },
  };
}

/** The order of a movement. Requests contain no currency: the amount is in the currency of the source account. */
function orderOf(movement: kit.Movement): kit.CompleteMovement {
  const order = kit.requireComplete(movement);
  const { asset } = order;
  const { defaultAsset } = order.source;
  if (defaultAsset !== undefined && CURRENCIES.assetOf(currencyOfAsset(asset)) !== defaultAsset) {
    throw kit.refused(`the source account holds ${defaultAsset} and not ${asset}`);
  }
  return order;
}

const currencyOfAsset = (asset: string): string =>
  CURRENCIES.toUnits({ amount: 0n, asset }).currency;

const unitsOf = (order: kit.CompleteMovement): bigint => CURRENCIES.toUnits(order).units;

function descriptionOf({ description }: kit.CompleteMovement): string {
  if (description !== "") return description;
  throw kit.refused("description is required in transfer/payout request");
}

function nameOf({ name }: kit.StoredAccount): string {
  if (name !== undefined && name !== "") return name;
  throw kit.refused("destination account name is required in payout request");
}

const required = (order: kit.CompleteMovement, name: string): string =>
  SPEC.require(order, name, "this payout");

import { createHash } from "node:crypto";
import type { AdjustmentToBook } from "./adjustments.ts";
import { decodeOwnedId } from "#modules/payments/core/ids.ts";
import type { ConnectorDirectory } from "#modules/payments/installs/directory.ts";

/** The variables that a transaction template may declare, with their types in Numscript and their meanings. */
export const BOOKING_VARIABLES = {
  amount: {
    type: "monetary",
    meaning: "the amount that the adjustment moves; 0 if it moves nothing",
  },
  from: {
    type: "account",
    meaning: "the account that pays; for money that goes back, the account that was paid",
  },
  to: {
    type: "account",
    meaning: "the account that is paid; for money that goes back, the account that has paid",
  },
  source: { type: "account", meaning: "the account that pays in the payment itself" },
  destination: { type: "account", meaning: "the account that is paid in the payment itself" },
  asset: { type: "asset", meaning: "the asset of the amount" },
  payment: { type: "string", meaning: "the id of the payment" },
  adjustment: { type: "string", meaning: "the id of the adjustment" },
  reference: { type: "string", meaning: "the provider's id of the payment" },
  provider: { type: "string", meaning: "the kind of the connector" },
  connector: { type: "string", meaning: "the id of the connector" },
  type: { type: "string", meaning: "the type of the payment" },
  status: { type: "string", meaning: "the status of the adjustment" },
  scheme: { type: "string", meaning: "the scheme of the payment" },
} as const satisfies Readonly<Record<string, { type: string; meaning: string }>>;

export type BookingVariable = keyof typeof BOOKING_VARIABLES;

export const isBookingVariable = (name: string): name is BookingVariable =>
  Object.hasOwn(BOOKING_VARIABLES, name);

/** The first problem with the variables of a template; undefined without problems. */
export function variablesProblem(variables: Readonly<Record<string, string>>): string | undefined {
  for (const [name, type] of Object.entries(variables)) {
    if (!isBookingVariable(name)) {
      const known = Object.keys(BOOKING_VARIABLES).join(", ");
      return `the variable $${name} is not one that bookings give: ${known}`;
    }
    const { type: given } = BOOKING_VARIABLES[name];
    if (type !== given) return `the variable $${name} is of the type ${given}, not ${type}`;
  }
  return undefined;
}

/** The account of an end that the provider does not name. */
const UNKNOWN_ACCOUNT = "world";

/** The values of all variables for an adjustment. */
export function variablesOf(
  adjustment: AdjustmentToBook,
  directory: Pick<ConnectorDirectory, "accountIdOf">,
): Readonly<Record<BookingVariable, string>> {
  const { ids, payment, status, asset, moved } = adjustment;
  const addressOf = (accountKey: string | undefined): string =>
    accountKey === undefined ? UNKNOWN_ACCOUNT : toAddress(directory.accountIdOf(accountKey));
  const source = addressOf(payment.sourceAccount);
  const destination = addressOf(payment.destinationAccount);
  const isBack = moved < 0n;
  return {
    amount: `${asset} ${isBack ? -moved : moved}`,
    from: isBack ? destination : source,
    to: isBack ? source : destination,
    source,
    destination,
    asset,
    payment: ids.payment,
    adjustment: ids.adjustment,
    reference: payment.reference,
    provider: payment.connector.provider,
    connector: ids.connector,
    type: payment.type,
    status,
    scheme: payment.scheme,
  };
}

/** The ledger's account for an account of a provider, such as `payments:stripe-7d4e5237:acct_1`. It never changes. */
function toAddress(accountId: string | undefined): string {
  const account = accountId === undefined ? undefined : decodeOwnedId(accountId);
  if (account === undefined) return UNKNOWN_ACCOUNT;
  const { connector, reference } = account;
  return `payments:${segmentOf(connector.provider)}-${connector.reference.slice(0, 8)}:${segmentOf(reference)}`;
}

const NOT_IN_SEGMENTS = /[^A-Za-z0-9_-]/g;
/** Longest reference that an address contains unchanged, in characters. */
const SEGMENT_LENGTH_MAX = 64;

/**
 * A text as a segment of an address. A text that is changed ends with a part of its hash, so that different texts have
 * different segments.
 */
function segmentOf(text: string): string {
  const clean = text.replaceAll(NOT_IN_SEGMENTS, "_").slice(0, SEGMENT_LENGTH_MAX);
  if (clean === text) return text;
  return `${clean}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

import { sha256 } from "./signatures.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Movement, StoredAccount } from "#modules/payments/connectors/contract.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** The error of a request that cannot be fulfilled, however often it is repeated. */
export const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);

/** The error of an order that the provider may have carried out, so that it is repeated under the same idempotency key. */
export const outcomeUnknown = (why: string, cause?: unknown): ConnectorError =>
  new ConnectorError("unknown", why, { cause });

/** The error of a value that is not one of a closed set. */
export const notOneOf = (
  name: string,
  value: string | undefined,
  known: readonly string[],
): ConnectorError => refused(`${name} is '${value ?? ""}', and not one of ${known.join(", ")}`);

/** A movement whose two accounts are known. */
export interface CompleteMovement extends Movement {
  readonly source: StoredAccount;
  readonly destination: StoredAccount;
}

/** A movement with its two accounts. Throws `ConnectorError` if one of them is absent. */
export function requireAccounts(movement: Movement): CompleteMovement {
  const { source, destination } = movement;
  const request = "in transfer/payout request";
  if (source === undefined) throw refused(`source account is required ${request}`);
  if (destination === undefined) throw refused(`destination account is required ${request}`);
  return { ...movement, source, destination };
}

/** A movement with its two accounts and a positive amount. Throws `ConnectorError` for any other movement. */
export function requireComplete(movement: Movement): CompleteMovement {
  const order = requireAccounts(movement);
  if (order.amount <= 0n) throw refused("amount must be positive");
  return order;
}

/** How long providers remember idempotency keys, in milliseconds: a day, less an hour for clocks that differ. */
const KEY_MS = 23 * 3_600_000;
/** How far the clock of a provider may be behind, in milliseconds. */
const CLOCK_SKEW_MS = 3_600_000;

type Dated = Pick<Movement, "createdAt">;

/** Whether a provider may have forgotten the idempotency key of an order, so that an earlier result has to be looked up. */
export const isKeyForgotten = ({ createdAt }: Dated, now: Timestamp): boolean =>
  toMillis(now) - toMillis(createdAt) >= KEY_MS;

/** The earliest time at which a provider may have carried out an order, in seconds since 1970, by the provider's clock. */
export const earliestSecond = ({ createdAt }: Dated): number =>
  Math.floor((toMillis(createdAt) - CLOCK_SKEW_MS) / 1000);

/** The ends of a payment as those of the movement that it is made for. */
export const endsOf = ({
  source,
  destination,
}: Pick<CompleteMovement, "source" | "destination">) => ({
  sourceReference: source.reference,
  destinationReference: destination.reference,
});

const STATEMENT_TEXT = /^[a-zA-Z0-9 ]*$/;
const PLAIN_REFERENCE = /^[\w -]+$/;
/** Length, in hexadecimal digits, of the digest that replaces a reference which a provider does not accept. */
const DIGEST_LENGTH = 40;

/** Throws `ConnectorError` for a description that banks would not print on a statement. */
export function assertStatementText(description: string, lengthMax: number): void {
  if (description.length > lengthMax) {
    throw refused(`description must have at most ${lengthMax} characters`);
  }
  if (!STATEMENT_TEXT.test(description)) {
    throw refused("description must have letters, digits and spaces only");
  }
}

/** A reference for a provider that limits references: the reference itself, or the beginning of its SHA-256. */
export const shortReference = (reference: string, lengthMax: number): string =>
  reference.length <= lengthMax && PLAIN_REFERENCE.test(reference)
    ? reference
    : sha256(reference, "hex").slice(0, DIGEST_LENGTH);

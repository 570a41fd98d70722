import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { PaymentStatus, PaymentType } from "./enums.ts";
import { isPaymentStatus, isPaymentType } from "./enums.ts";
import { parseJson, quoteJson, stringifyJson } from "#platform/json.ts";
import { formatTimestamp, parseTimestamp, type Timestamp } from "#platform/time.ts";

/**
 * The composite ids of payments: base64url without padding of canonical JSON, which has no whitespace and whose members are
 * in the order of their names' code points. Clients keep these ids, and some read the JSON in them, so the format never
 * changes.
 */

/** An installation of a connector. */
export interface ConnectorId {
  /** The kind of the connector, in lower case: `generic`. */
  readonly provider: string;
  readonly reference: string;
}

/**
 * The id of an object that a provider knows by a reference: an account, an initiation, a reversal, an order, a conversion,
 * a task.
 */
export interface OwnedId {
  readonly connector: ConnectorId;
  readonly reference: string;
}

export interface PaymentId extends OwnedId {
  readonly type: PaymentType;
}

export interface PaymentAdjustmentId {
  readonly payment: PaymentId;
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly status: PaymentStatus;
}

/** Stands for the connector in the ids of tasks that belong to no connector. */
export const NO_CONNECTOR: ConnectorId = {
  provider: "",
  reference: "00000000-0000-0000-0000-000000000000",
};

export const encodeConnectorId = (id: ConnectorId): string => encode(toConnectorJson(id));
export const encodeOwnedId = (id: OwnedId): string => encode(toOwnedJson(id));
export const encodePaymentId = (id: PaymentId): string => encode(toPaymentJson(id));
export const encodePaymentAdjustmentId = (id: PaymentAdjustmentId): string =>
  encode(toPaymentAdjustmentJson(id));

/**
 * The id of a state of an order. It contains no time, so an order that returns to an earlier state gets no second
 * adjustment.
 */
export interface OrderAdjustmentId {
  readonly order: OwnedId;
  readonly reference: string;
  readonly status: string;
  readonly baseQuantityFilled?: bigint;
  readonly fee?: bigint;
  readonly feeAsset?: string;
}

export const encodeOrderAdjustmentId = (id: OrderAdjustmentId): string =>
  encode(toOrderAdjustmentJson(id));

/** The id of a change of status of a payment initiation or of its reversal. */
export const encodeStatusChangeId = (
  owner: "PaymentInitiationID" | "PaymentInitiationReversalID",
  { id, createdAt, status }: { id: OwnedId; createdAt: Timestamp; status: string },
): string =>
  encode({ CreatedAt: formatTimestamp(createdAt), [owner]: toOwnedJson(id), Status: status });

/** The id of an event, from its connector and a key that is the same when the event is repeated. */
export const encodeEventId = (connector: ConnectorId | undefined, key: string): string =>
  encode({
    ConnectorID: connector === undefined ? null : toConnectorJson(connector),
    EventIdempotencyKey: key,
  });

/** The `state` parameter in the redirect of open banking. */
export const encodeLinkState = (state: { attemptID: string; randomized: string }): string =>
  encode({ attemptID: state.attemptID, randomized: state.randomized });

/** The connector of an id; undefined for a text that is no such id. */
export function decodeConnectorId(text: string): ConnectorId | undefined {
  const value = decode(text);
  return value === undefined ? undefined : fromConnectorJson(value);
}

export function decodeOwnedId(text: string): OwnedId | undefined {
  const value = decode(text);
  return value === undefined ? undefined : fromOwnedJson(value);
}

export function decodePaymentId(text: string): PaymentId | undefined {
  const value = decode(text);
  return value === undefined ? undefined : fromPaymentJson(value);
}

/** Whether a text is the id of a payment whose reference is missing. */
export function lacksReference(text: string): boolean {
  const value = decode(text);
  return value !== undefined && textIn(value, "Reference") === "";
}

export function decodePaymentAdjustmentId(text: string): PaymentAdjustmentId | undefined {
  const value = decode(text);
  if (value === undefined) return undefined;
  const payment = fromPaymentJson(objectIn(value, "PaymentID"));
  const createdAt = parseTimestamp(textIn(value, "CreatedAt"));
  const status = textIn(value, "Status");
  if (payment === undefined || createdAt === undefined || !isPaymentStatus(status)) {
    return undefined;
  }
  return { payment, createdAt, status, reference: textIn(value, "Reference") };
}

export function decodeLinkState(
  text: string,
): { attemptID: string; randomized: string } | undefined {
  const value = decode(text);
  if (value === undefined) return undefined;
  const state = { attemptID: textIn(value, "attemptID"), randomized: textIn(value, "randomized") };
  return UUID.test(state.attemptID) ? state : undefined;
}

/** A key that is the same for equal values: the SHA-1 of the canonical JSON in lower-case hex. */
export const idempotencyKeyOf = (value: unknown): string =>
  createHash("sha1").update(canonicalJson(value)).digest("hex");

/** The members of ids as JSON. Keys of some events contain them, too. */
export const toConnectorJson = ({ provider, reference }: ConnectorId) => ({
  Provider: provider,
  Reference: reference,
});
export const toOwnedJson = ({ connector, reference }: OwnedId) => ({
  ConnectorID: toConnectorJson(connector),
  Reference: reference,
});
export const toPaymentJson = ({ type, ...owned }: PaymentId) => ({
  ...toOwnedJson(owned),
  Type: type,
});
export const toPaymentAdjustmentJson = (id: PaymentAdjustmentId) => ({
  CreatedAt: formatTimestamp(id.createdAt),
  PaymentID: toPaymentJson(id.payment),
  Reference: id.reference,
  Status: id.status,
});

export const toOrderAdjustmentJson = (id: OrderAdjustmentId) => ({
  BaseQuantityFilled: id.baseQuantityFilled ?? null,
  Fee: id.fee ?? null,
  FeeAsset: id.feeAsset ?? null,
  OrderID: toOwnedJson(id.order),
  Reference: id.reference,
  Status: id.status,
});

/** JSON without whitespace, in which the members of each object are in the order of their names' code points. */
export const canonicalJson = (value: unknown): string => stringifyJson(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/**
 * Encodes an object whose members are already in canonical order: sorting them here would take ten times as long as the
 * rest of the work.
 */
const encode = (value: object): string => Buffer.from(stringifyJson(value)).toString("base64url");

/** Makes the ids of objects of one connector. The ids begin with the same text, which is encoded only once. */
export function ownedIdsOf(connector: ConnectorId): (reference: string) => string {
  const json = Buffer.from(stringifyJson(toOwnedJson({ connector, reference: "" })));
  const head = json.subarray(0, -'""}'.length);
  // Three bytes become four characters, so a head whose length is a multiple of three can be encoded on its own.
  const cut = head.length - (head.length % 3);
  const [start, rest] = [head.toString("base64url", 0, cut), head.toString("latin1", cut)];
  return (reference) =>
    start + Buffer.from(`${rest}${quoteJson(reference)}}`).toString("base64url");
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;
export const isUuid = (text: string): boolean => UUID.test(text);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Longest id, in characters. A reference has at most 1,000 characters. */
const ID_LENGTH_MAX = 16_384;

type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in an id; undefined for a text that contains none. */
function decode(text: string): JsonObject | undefined {
  if (text.length > ID_LENGTH_MAX || !BASE64URL.test(text)) return undefined;
  try {
    const value = parseJson(Buffer.from(text, "base64url").toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function memberOf(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const lower = name.toLowerCase();
  return Object.entries(object).find(([key]) => key.toLowerCase() === lower)?.[1];
}

function textIn(object: JsonObject, name: string): string {
  const value = memberOf(object, name);
  return typeof value === "string" ? value : "";
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = memberOf(object, name);
  return isObject(value) ? value : {};
}

function fromConnectorJson(value: JsonObject): ConnectorId | undefined {
  const provider = textIn(value, "Provider");
  const reference = textIn(value, "Reference");
  return provider !== "" && UUID.test(reference) && reference !== NO_CONNECTOR.reference
    ? { provider, reference: reference.toLowerCase() }
    : undefined;
}

/** The connector and reference in the JSON of an id. The zero UUID stands for no connector. */
function fromOwnedJson(value: JsonObject): OwnedId | undefined {
  const json = objectIn(value, "ConnectorID");
  const isUnowned = textIn(json, "Reference") === NO_CONNECTOR.reference;
  const connector = isUnowned ? NO_CONNECTOR : fromConnectorJson(json);
  const reference = textIn(value, "Reference");
  return connector === undefined || reference === "" ? undefined : { connector, reference };
}

function fromPaymentJson(value: JsonObject): PaymentId | undefined {
  const owned = fromOwnedJson(value);
  const type = textIn(value, "Type");
  return owned === undefined || owned.connector === NO_CONNECTOR || !isPaymentType(type)
    ? undefined
    : { ...owned, type };
}

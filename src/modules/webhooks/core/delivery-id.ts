/** What the id of a delivery says. */
export interface DeliveryAddress {
  /** How the id of the config begins: its first three groups, with the hyphen behind them. No two configs share them. */
  readonly configPrefix: string;
  /** The number of the delivery among those of its config. */
  readonly seq: number;
}

/**
 * The id of a delivery. It is computed and not stored: a UUID of version 8 (RFC 9562, section 5.8) that repeats the 60 random
 * bits at the beginning of its config's id, which is a UUID of version 4, and ends with the number of the delivery, in 48 bits.
 * So it is the same on every attempt, leads to config and delivery, and the ids of one config sort as its deliveries do.
 */
export const toDeliveryId = (configId: string, seq: number): string =>
  `${configId.slice(0, 14)}8${configId.slice(15, 18)}-8000-${seq.toString(16).padStart(SEQ_DIGITS, "0")}`;

/** Reads the id of a delivery; undefined where it cannot be one. */
export function parseDeliveryId(id: string): DeliveryAddress | undefined {
  const [, high, low, seq] = PATTERN.exec(id.toLowerCase()) ?? [];
  if (high === undefined || low === undefined || seq === undefined) return undefined;
  return { configPrefix: `${high}-4${low}-`, seq: Number.parseInt(seq, 16) };
}

const SEQ_DIGITS = 12;
const PATTERN = /^([0-9a-f]{8}-[0-9a-f]{4})-8([0-9a-f]{3})-8000-([0-9a-f]{12})$/;

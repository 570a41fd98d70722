/** The content of a delivery's id. */
export interface DeliveryAddress {
  /** The beginning of the config's id: its first three groups and the hyphen behind them. No two configs share these 60 random bits. */
  readonly configPrefix: string;
  /** The number of the delivery in its lane. */
  readonly seq: number;
}

/**
 * The id of a delivery, a UUID of version 8 (RFC 9562 §5.8). It is computed and not stored:
 *
 *     xxxxxxxx-xxxx-8xxx-8000-nnnnnnnnnnnn
 *     └────────────────┘      └──────────┘
 *     60 random bits of the   number of the
 *     config's id, a UUID     delivery in its lane,
 *     of version 4            48 bits
 *
 * So every attempt has the same id, the id leads to the config and the delivery, and the ids of one config sort like its
 * deliveries.
 */
export const toDeliveryId = (configId: string, seq: number): string =>
  `${configId.slice(0, 14)}8${configId.slice(15, 18)}-8000-${seq.toString(16).padStart(SEQ_DIGITS, "0")}`;

/** Parses the id of a delivery; undefined for a text of another form. */
export function parseDeliveryId(id: string): DeliveryAddress | undefined {
  const [, high, low, seq] = PATTERN.exec(id.toLowerCase()) ?? [];
  if (high === undefined || low === undefined || seq === undefined) return undefined;
  return { configPrefix: `${high}-4${low}-`, seq: Number.parseInt(seq, 16) };
}

const SEQ_DIGITS = 12;
const PATTERN = /^([0-9a-f]{8}-[0-9a-f]{4})-8([0-9a-f]{3})-8000-([0-9a-f]{12})$/;

import { type GeneratedTransaction, WORLD } from "./transactions.ts";

export const ASSET = "EUR/2";

export const addressOf = (account: number): string =>
  account === WORLD ? "world" : `users:${account.toString().padStart(8, "0")}:main`;

/** The payload of the current tables: a single posting of the first asset does not name the asset. */
export const compactPayload = ({
  source,
  destination,
  amount,
  metadata,
}: GeneratedTransaction): string =>
  `${source},${destination},${amount}${metadata === undefined ? "" : `,{"m":${metadata}}`}`;

/** The payload of the first tables of ledgers. */
export const listPayload = ({
  source,
  destination,
  amount,
  metadata,
}: GeneratedTransaction): string =>
  `[${source},${destination},1,${amount}${metadata === undefined ? "" : `,{"m":${metadata}}`}]`;

export const namedPayload = ({
  source,
  destination,
  amount,
  metadata,
}: GeneratedTransaction): string =>
  `"${addressOf(source)}","${addressOf(destination)}","${ASSET}",${amount}${metadata === undefined ? "" : `,{"m":${metadata}}`}`;

export function fullJson({ id, date, amount, ...transaction }: GeneratedTransaction): string {
  const timestamp = new Date(date / 1000).toISOString();
  const source = addressOf(transaction.source);
  const destination = addressOf(transaction.destination);
  return `{"id":${id},"postings":[{"source":"${source}","destination":"${destination}","amount":${amount},"asset":"${ASSET}"}],"metadata":${transaction.metadata ?? "{}"},"timestamp":"${timestamp}","insertedAt":"${timestamp}","updatedAt":"${timestamp}"}`;
}

import type { Timestamp } from "#platform/time.ts";

/** Where events of some types are sent, and with which secret they are signed. */
export interface WebhookConfig {
  readonly id: string;
  /** With masks in place of the secrets in the URL. */
  readonly endpoint: string;
  /** Base64 of 24 bytes, in clear. */
  readonly secret: string;
  /** Lower-case names, in the order and with the repetitions that the client gave. */
  readonly eventTypes: readonly string[];
  readonly name: string;
  readonly active: boolean;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

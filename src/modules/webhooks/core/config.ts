import type { Timestamp } from "#platform/time.ts";

/** A webhook config: event types, the endpoint that gets these events, and the secret that signs them. */
export interface WebhookConfig {
  readonly id: string;
  /** The URL with masks in place of its secrets. */
  readonly endpoint: string;
  /** Base64 of 24 bytes, decrypted. */
  readonly secret: string;
  /** Lower-case names, in the order and with the repetitions that the client gave. */
  readonly eventTypes: readonly string[];
  readonly name: string;
  readonly active: boolean;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

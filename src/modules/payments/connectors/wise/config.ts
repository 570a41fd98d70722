import { createPublicKey } from "node:crypto";
import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";

export const WISE_FIELDS: readonly ConfigField[] = [
  { name: "apiKey", label: "APIKey", type: "string", isRequired: true, isSecret: true },
  { name: "webhookPublicKey", label: "WebhookPublicKey", type: "string", isRequired: true },
];

export interface WiseConfig {
  readonly apiKey: string;
  /** In PEM. */
  readonly webhookPublicKey: string;
}

/** Throws `ConnectorError` for a key that verifies nothing. */
export function readWiseConfig(values: PluginConfig): WiseConfig {
  const webhookPublicKey = String(values["webhookPublicKey"]).trim();
  assertPublicKey(webhookPublicKey);
  return { apiKey: String(values["apiKey"]), webhookPublicKey };
}

const PEM = /^-----BEGIN PUBLIC KEY-----\s[\s\S]+-----END PUBLIC KEY-----$/;

function assertPublicKey(pem: string): void {
  if (!PEM.test(pem)) throw invalid("invalid webhook public key in config");
  const failed = "failed to parse webhook public key in config";
  let type: string | undefined;
  try {
    type = createPublicKey(pem).asymmetricKeyType;
  } catch (cause) {
    throw invalid(failed, cause);
  }
  if (type !== "rsa") throw invalid(`${failed}: it is no RSA key`);
}

const invalid = (why: string, cause?: unknown): ConnectorError =>
  new ConnectorError("invalid", why, cause === undefined ? {} : { cause });

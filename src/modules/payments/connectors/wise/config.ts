import { createPublicKey } from "node:crypto";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const WISE_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "webhookPublicKey", label: "WebhookPublicKey" },
] as const satisfies readonly kit.ConfigField[];

/** The key for webhooks is in PEM. */
export type WiseConfig = kit.ConfigOf<typeof WISE_FIELDS>;

/** Reads a configuration. Throws `ConnectorError` for a text that is not an RSA public key in PEM. */
export function readWiseConfig(values: kit.PluginConfig): WiseConfig {
  const config = kit.readConfig(WISE_FIELDS, values);
  const webhookPublicKey = config.webhookPublicKey.trim();
  assertPublicKey(webhookPublicKey);
  return { ...config, webhookPublicKey };
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

const invalid = (why: string, cause?: unknown): kit.ConnectorError =>
  new kit.ConnectorError("invalid", why, cause === undefined ? {} : { cause });

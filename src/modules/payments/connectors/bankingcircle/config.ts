import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";

const text = { type: "string", isRequired: true } as const;

export const BANKINGCIRCLE_FIELDS: readonly ConfigField[] = [
  { ...text, name: "username", label: "Username" },
  { ...text, name: "password", label: "Password", isSecret: true },
  { ...text, name: "endpoint", label: "Endpoint" },
  { ...text, name: "authorizationEndpoint", label: "AuthorizationEndpoint" },
  { ...text, name: "userCertificate", label: "UserCertificate" },
  { ...text, name: "userCertificateKey", label: "UserCertificateKey", isSecret: true },
];

export interface BankingCircleConfig {
  readonly username: string;
  readonly password: string;
  readonly endpoint: string;
  readonly authorizationEndpoint: string;
  /** Both in PEM. */
  readonly userCertificate: string;
  readonly userCertificateKey: string;
}

export const readBankingCircleConfig = (values: PluginConfig): BankingCircleConfig => ({
  username: String(values["username"]),
  password: String(values["password"]),
  endpoint: String(values["endpoint"]),
  authorizationEndpoint: String(values["authorizationEndpoint"]),
  userCertificate: String(values["userCertificate"]),
  userCertificateKey: String(values["userCertificateKey"]),
});

/** Throws where the certificate cannot be read, or the key is not the one of it. */
export function assertCertificate(config: BankingCircleConfig): void {
  if (!isPair(config)) {
    const why = "it is no certificate in PEM with its private key";
    throw new ConnectorError("invalid", `failed to load user certificate: ${why}`);
  }
}

function isPair({ userCertificate, userCertificateKey }: BankingCircleConfig): boolean {
  try {
    // The runtime's own check of the pair always says no.
    const key = createPublicKey(createPrivateKey(userCertificateKey));
    return toText(new X509Certificate(userCertificate).publicKey) === toText(key);
  } catch {
    return false; // one of them is something else
  }
}

const toText = (key: KeyObject): string =>
  key.export({ type: "spki", format: "der" }).toString("base64");

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const BANKINGCIRCLE_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "username", label: "Username" },
  { ...kit.REQUIRED_TEXT, name: "password", label: "Password", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
  { ...kit.REQUIRED_TEXT, name: "authorizationEndpoint", label: "AuthorizationEndpoint" },
  { ...kit.REQUIRED_TEXT, name: "userCertificate", label: "UserCertificate" },
  { ...kit.REQUIRED_TEXT, name: "userCertificateKey", label: "UserCertificateKey", isSecret: true },
] as const satisfies readonly kit.ConfigField[];

/** The certificate and its key are in PEM. */
export type BankingCircleConfig = kit.ConfigOf<typeof BANKINGCIRCLE_FIELDS>;

/** Throws `ConnectorError` if the certificate cannot be read, or if the key does not belong to it. */
export function assertCertificate(config: BankingCircleConfig): void {
  if (!isPair(config)) {
    const why = "it is no certificate in PEM with its private key";
    throw kit.refused(`failed to load user certificate: ${why}`);
  }
}

function isPair({ userCertificate, userCertificateKey }: BankingCircleConfig): boolean {
  try {
    // `X509Certificate.checkPrivateKey` always returns false in the runtime.
    const key = createPublicKey(createPrivateKey(userCertificateKey));
    return toText(new X509Certificate(userCertificate).publicKey) === toText(key);
  } catch {
    return false; // the certificate or the key cannot be parsed
  }
}

const toText = (key: KeyObject): string =>
  key.export({ type: "spki", format: "der" }).toString("base64");

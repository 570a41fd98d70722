import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";

const text = { type: "string", isRequired: true } as const;

export const POWENS_FIELDS: readonly ConfigField[] = [
  { ...text, name: "clientID", label: "ClientID" },
  { ...text, name: "clientSecret", label: "ClientSecret", isSecret: true },
  { ...text, name: "configurationToken", label: "ConfigurationToken", isSecret: true },
  { ...text, name: "domain", label: "Domain" },
  { ...text, name: "endpoint", label: "Endpoint" },
  {
    name: "maxConnectionsPerLink",
    label: "MaxConnectionsPerLink",
    type: "unsigned integer",
    isRequired: true,
  },
];

export interface PowensConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly configurationToken: string;
  readonly domain: string;
  readonly endpoint: string;
  readonly maxConnectionsPerLink: number;
}

/** Throws `ConnectorError` for a number of connections that is no integer. */
export function readPowensConfig(values: PluginConfig): PowensConfig {
  const maxConnectionsPerLink = Number(values["maxConnectionsPerLink"]);
  if (!Number.isSafeInteger(maxConnectionsPerLink) || maxConnectionsPerLink < 1) {
    throw new ConnectorError("invalid", "maxConnectionsPerLink must be an integer of 1 at least");
  }
  return {
    clientId: String(values["clientID"]),
    clientSecret: String(values["clientSecret"]),
    configurationToken: String(values["configurationToken"]),
    domain: String(values["domain"]),
    endpoint: String(values["endpoint"]),
    maxConnectionsPerLink,
  };
}

import * as kit from "#modules/payments/connectors/kit/index.ts";

export const POWENS_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "clientID", label: "ClientID" },
  { ...kit.REQUIRED_TEXT, name: "clientSecret", label: "ClientSecret", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "configurationToken", label: "ConfigurationToken", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "domain", label: "Domain" },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
  {
    name: "maxConnectionsPerLink",
    label: "MaxConnectionsPerLink",
    type: "unsigned integer",
    isRequired: true,
  },
] as const satisfies readonly kit.ConfigField[];

export type PowensConfig = kit.ConfigOf<typeof POWENS_FIELDS>;

/** Throws `ConnectorError` for a number of connections that is no integer. */
export function readPowensConfig(values: kit.PluginConfig): PowensConfig {
  const config = kit.readConfig(POWENS_FIELDS, values);
  const { maxConnectionsPerLink } = config;
  if (!Number.isSafeInteger(maxConnectionsPerLink) || maxConnectionsPerLink < 1) {
    throw kit.refused("maxConnectionsPerLink must be an integer of 1 at least");
  }
  return config;
}

import type { ExporterConfig } from "./config.ts";
import type { ReplaceSecret } from "./driver.ts";
import {
  replaceUrlSecrets as replaceIn,
  urlSecretsOf as secretsOf,
} from "#platform/secrets/url-secrets.ts";

export function replaceUrlSecrets(
  config: ExporterConfig,
  path: string,
  replace: ReplaceSecret,
): ExporterConfig {
  const url = config[path];
  if (typeof url !== "string") return config;
  const replaced = replaceIn(url, (secret, place) => replace(secret, { path, name: path + place }));
  return { ...config, [path]: replaced };
}

/** The secrets in a URL of a config, in each form in which a server may repeat them. */
export function urlSecretsOf(config: ExporterConfig, path: string): readonly string[] {
  const url = config[path];
  return typeof url === "string" ? secretsOf(url) : [];
}

import { ConfigError, type ExporterConfig } from "#modules/exporters/drivers/config.ts";
import {
  type ExporterDestination,
  type DriverContext,
  type ReplaceSecret,
  type SecretFields,
} from "#modules/exporters/drivers/driver.ts";
import { isObject } from "#modules/exporters/drivers/fields.ts";
import { findDriver } from "#modules/exporters/drivers/index.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { SECRET_MASK } from "#platform/secrets/url-secrets.ts";

export interface ExporterInput {
  readonly driver: string;
  /** Undefined where the client sends no config. */
  readonly config: unknown;
}

export interface ExporterSetup {
  readonly driver: string;
  readonly config: ExporterConfig;
}

/** Longest config, in characters of JSON. */
const CONFIG_LENGTH_MAX = 20_000;

/** Longest part of an unknown driver's name that an error shows, in characters. */
const DRIVER_SHOWN_MAX = 100;

/** Checks that the driver exists and can read the config. Throws `VALIDATION` with the name of the field that is wrong. */
export function parseSetup(
  { driver, config }: ExporterInput,
  context: DriverContext,
): ExporterSetup {
  if (findDriver(driver) === undefined) {
    const name = driver.slice(0, DRIVER_SHOWN_MAX).toWellFormed();
    throw new AppError(
      "VALIDATION",
      `driver '${name}' invalid: validating config for exporter '${name}': driver '${name}' not found`,
      { details: "driver" },
    );
  }
  if (!isObject(config)) {
    const why = config === undefined ? "unexpected end of JSON input" : "expected an object";
    throw invalid(driver, new ConfigError("", why, "malformed"));
  }
  if (stringifyJson(config).length > CONFIG_LENGTH_MAX) {
    const why = `it is longer than ${CONFIG_LENGTH_MAX} characters`;
    throw invalid(driver, new ConfigError("", why));
  }
  openDestination({ driver, config }, context);
  return { driver, config };
}

/** Opens the destination of a setup. Throws `VALIDATION`. */
export function openDestination(
  { driver, config }: ExporterSetup,
  context: DriverContext,
): ExporterDestination {
  const found = findDriver(driver);
  if (found === undefined) throw new AppError("VALIDATION", `driver '${driver}' not found`);
  try {
    return found.open(config, context);
  } catch (error) {
    if (error instanceof ConfigError) throw invalid(driver, error);
    throw error;
  }
}

/**
 * The config as clients see it: as it was sent, with a mask in place of each secret. A mask that is sent back stands for the stored secret.
 */
export function maskSecrets({ driver, config }: ExporterSetup): ExporterConfig {
  return findDriver(driver)?.secrets?.replace(config, () => SECRET_MASK) ?? config;
}

/**
 * Replaces masks that were sent back by the stored secrets. If the config names another server, which would receive the secrets, they have
 * to be sent again. Throws `VALIDATION`.
 */
export function restoreMaskedSecrets(
  setup: ExporterSetup,
  stored: ExporterSetup | undefined,
): ExporterSetup {
  const { driver, config } = setup;
  const secrets = findDriver(driver)?.secrets;
  if (secrets === undefined) return setup;
  const former = stored?.driver === driver ? stored.config : {};
  const known = readSecrets(secrets, former);
  const keep: ReplaceSecret = (secret, { path, name }) => {
    if (secret !== SECRET_MASK) return secret;
    const refuse = (why: string): AppError =>
      invalid(driver, new ConfigError(path, `${name} has the mask '${SECRET_MASK}', but ${why}`));
    const kept = known.get(name);
    if (kept === undefined) throw refuse("there is no secret to keep");
    if (secrets.secretHost(former) === secrets.secretHost(config)) return kept;
    throw refuse("the config names another server: send the secret again");
  };
  return { driver, config: secrets.replace(config, keep) };
}

/** The secrets of a config, by the names of their places. */
function readSecrets(secrets: SecretFields, config: ExporterConfig): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  secrets.replace(config, (secret, { name }) => {
    found.set(name, secret);
    return secret;
  });
  return found;
}

const invalid = (driver: string, error: ConfigError): AppError =>
  new AppError(
    "VALIDATION",
    `driver '${driver}' invalid: exporter '${driver}' has ${error.kind} configuration: ${error.message}`,
    { cause: error, details: error.field === "" ? "config" : `config.${error.field}` },
  );

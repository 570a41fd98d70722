import {
  ConfigFault,
  type Destination,
  type DriverContext,
  type ExporterConfig,
  SECRET_MASK,
} from "./drivers/driver.ts";
import { isObject } from "./drivers/fields.ts";
import { findDriver } from "./drivers/index.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** An exporter as a client describes it. */
export interface ExporterInput {
  readonly driver: string;
  /** Undefined where the client sends none. */
  readonly config: unknown;
}

export interface ExporterSetup {
  readonly driver: string;
  readonly config: ExporterConfig;
}

/** Longest config, in characters of JSON. */
const CONFIG_LENGTH_MAX = 20_000;

/** Most of the name of an unknown driver that an error shows, in characters. */
const DRIVER_SHOWN_MAX = 100;

/** Takes a description that its driver can work with. Throws `VALIDATION` naming the field that is wrong. */
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
    throw invalid(driver, new ConfigFault("", why, "malformed"));
  }
  if (stringifyJson(config).length > CONFIG_LENGTH_MAX) {
    const why = `it is longer than ${CONFIG_LENGTH_MAX} characters`;
    throw invalid(driver, new ConfigFault("", why));
  }
  openDestination({ driver, config }, context);
  return { driver, config };
}

/** Throws `VALIDATION`. */
export function openDestination(
  { driver, config }: ExporterSetup,
  context: DriverContext,
): Destination {
  const found = findDriver(driver);
  if (found === undefined) throw new AppError("VALIDATION", `driver '${driver}' not found`);
  try {
    return found.open(config, context);
  } catch (error) {
    if (error instanceof ConfigFault) throw invalid(driver, error);
    throw error;
  }
}

/** What clients see: a secret is masked, and all else is as it was sent. Sent back, the mask means the stored secret. */
export function maskSecret({ driver, config }: ExporterSetup): ExporterConfig {
  const secret = findDriver(driver)?.secret;
  return secret?.read(config) === undefined ? config : secret.write(config, SECRET_MASK);
}

/**
 * Puts the stored secret where the mask was sent back. A new server would get to see it, so it has to be sent again for
 * one. Throws `VALIDATION`.
 */
export function keepSecret(setup: ExporterSetup, stored: ExporterSetup | undefined): ExporterSetup {
  const { driver, config } = setup;
  const secret = findDriver(driver)?.secret;
  if (secret === undefined || secret.read(config) !== SECRET_MASK) return setup;
  const kept = stored?.driver === driver ? secret.read(stored.config) : undefined;
  if (stored === undefined || kept === undefined) {
    const message = `${secret.path} has the mask '${SECRET_MASK}', and there is no secret to keep`;
    throw invalid(driver, new ConfigFault(secret.path, message));
  }
  if (secret.audience(stored.config) !== secret.audience(config)) {
    const message = `${secret.path} has the mask '${SECRET_MASK}', and another server: send the secret again`;
    throw invalid(driver, new ConfigFault(secret.path, message));
  }
  return { driver, config: secret.write(config, kept) };
}

const invalid = (driver: string, fault: ConfigFault): AppError =>
  new AppError(
    "VALIDATION",
    `driver '${driver}' invalid: exporter '${driver}' has ${fault.kind} configuration: ${fault.message}`,
    { cause: fault, details: fault.field === "" ? "config" : `config.${fault.field}` },
  );

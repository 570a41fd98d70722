import type { Context } from "hono";
import { toKnownError } from "./errors.ts";
import { LedgerService } from "#modules/ledger/service.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Settings } from "#platform/settings.ts";

/**
 * Works on a ledger, which any request of this version makes where there is none. Throws `VALIDATION` for a name that no
 * ledger can have, `NOT_FOUND` for the name of a deleted one, and what the work throws with the codes of this version.
 */
export async function inLedger<T>(
  c: Context<AppEnv>,
  name: string,
  work: (service: LedgerService) => Promise<T>,
): Promise<T> {
  try {
    return await workInMade(c, name, work);
  } catch (error) {
    throw toKnownError(error);
  }
}

/**
 * The ledger is asked first, so that requests to those that exist, nearly all, cost nothing more. Work that finds no ledger
 * has done nothing and is repeated.
 */
async function workInMade<T>(
  c: Context<AppEnv>,
  name: string,
  work: (service: LedgerService) => Promise<T>,
): Promise<T> {
  const service = LedgerService.from(c.env);
  try {
    return await work(service);
  } catch (error) {
    if (!isFailure(error, "LEDGER_NOT_FOUND")) throw error;
  }
  await makeLedger(service, name, c.var.settings);
  return work(service);
}

/** Makes a ledger in a bucket of its own; harmless where it exists. */
async function makeLedger(service: LedgerService, name: string, settings: Settings): Promise<void> {
  try {
    await service.createLedger({ name, bucket: name, metadata: {}, features: {} }, settings);
  } catch (error) {
    // Another request was faster. A deleted ledger keeps its name, too: the repeated work does not find it.
    if (!isFailure(error, "LEDGER_ALREADY_EXISTS")) throw error;
  }
}

const isFailure = (error: unknown, kind: FailureKind): boolean =>
  error instanceof AppError && error.kind === kind;

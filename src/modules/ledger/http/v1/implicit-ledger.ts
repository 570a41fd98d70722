import type { Context } from "hono";
import { EMPTY_LEDGER, type LedgerReader } from "./empty-ledger.ts";
import { toKnownError } from "./errors.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/index.ts";
import type { SettingsOf } from "#platform/settings.ts";

/**
 * Writes to a ledger, which is created if it does not exist, as by any write of this version. Throws `VALIDATION` for a name that no ledger
 * can have, `NOT_FOUND` for the name of a deleted ledger, and the errors of the work with the codes of this version.
 */
export function withAutoCreatedLedger<T>(
  c: Context<AppEnv>,
  name: string,
  work: (service: LedgerService) => Promise<T>,
): Promise<T> {
  const service = LedgerService.from(c.get("context"));
  return withFallback(
    () => work(service),
    async () => {
      await createLedger(service, name, ledgerSettings.of(c.env));
      return work(service);
    },
  );
}

/** Reads a ledger, or an empty one where there is none, because a read creates nothing. Throws as `withAutoCreatedLedger` does. */
export function withLedgerOrEmpty<T>(
  c: Context<AppEnv>,
  name: string,
  read: (reader: LedgerReader) => Promise<T>,
): Promise<T> {
  const service = LedgerService.from(c.get("context"));
  return withFallback(
    () => read(service),
    // A deleted ledger keeps its name; the repeated read does not find it.
    async () => read((await service.isNameTaken(name)) ? service : EMPTY_LEDGER),
  );
}

/**
 * Calls the ledger first, so that requests to existing ledgers, which are nearly all, cost nothing more. Work that finds no ledger has done
 * nothing, and is followed by `fallback`.
 */
async function withFallback<T>(work: () => Promise<T>, fallback: () => Promise<T>): Promise<T> {
  try {
    try {
      return await work();
    } catch (error) {
      if (!isFailure(error, "LEDGER_NOT_FOUND")) throw error;
    }
    return await fallback();
  } catch (error) {
    throw toKnownError(error);
  }
}

/** Creates a ledger in a bucket of its own. Does nothing where it exists. */
async function createLedger(
  service: LedgerService,
  name: string,
  settings: SettingsOf<typeof ledgerSettings>,
): Promise<void> {
  try {
    await service.createLedger({ name, bucket: name, metadata: {}, features: {} }, settings);
  } catch (error) {
    // Another request was faster. Or the ledger is deleted and keeps its name; then the repeated work does not find it.
    if (!isFailure(error, "LEDGER_ALREADY_EXISTS")) throw error;
  }
}

const isFailure = (error: unknown, kind: FailureKind): boolean =>
  error instanceof AppError && error.kind === kind;

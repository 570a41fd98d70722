import { exportPages } from "./log-export.ts";
import type { LedgerHead, LogOrigins } from "#ledger-engine";
import { type Ledger, LedgerCatalogue, unknownLedger } from "#modules/catalogue/index.ts";
import { ledgerObject, READ_OF_LEDGER } from "#modules/ledger/object-calls.ts";
import { assertBegun } from "#platform/backup/begun-backups.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import { objectsAtOnce } from "#platform/objects/side-by-side.ts";

/** Most ledgers of a page, and most of their objects that are asked at once. */
const LEDGERS_MAX = 50;
const ASKED_AT_ONCE = 10;
/** Characters of a log after which an answer ends with its page. */
const LOG_CHARACTERS_MAX = 16_000_000;

/** A ledger as a backup finds it. */
export interface SavedLedger extends Ledger, LedgerHead {}

/** A ledger whose object does not say how far it has come, and why. */
export interface SilentLedger extends Pick<Ledger, "uuid" | "name"> {
  readonly reason: string;
}

/** Some ledgers, and the id after which the next ones come; absent if there are no more. */
interface SavedLedgers {
  readonly ledgers: readonly SavedLedger[];
  readonly failed: readonly SilentLedger[];
  readonly next?: number;
}

/** What a ledger's object has said of its head. A ledger that has been purged meanwhile has none. */
type Head =
  | { readonly kind: "saved"; readonly ledger: SavedLedger }
  | { readonly kind: "failed"; readonly ledger: SilentLedger }
  | { readonly kind: "purged" };

/** A range of a ledger's log: the entries after `after` and up to `to`. */
interface SavedRange {
  readonly uuid: string;
  readonly after: number;
  readonly to: number;
}

const HEAD_OF_LEDGER: ObjectCall = { ...READ_OF_LEDGER, timeoutMs: 10_000 };

/** The head of a ledger whose object holds none: it was deleted before the object was made. */
const NOTHING: LedgerHead = {
  lastLogId: -1,
  lastHash: "",
  publishedLogId: 0,
  importedLogId: undefined,
};

/** Ledgers for a backup that has begun, those of deleted buckets included. All methods throw `NOT_FOUND` for another backup. */
export class LedgerSaving {
  readonly #context: ServiceContext;
  readonly #catalogue: LedgerCatalogue;
  readonly #backup: string;

  constructor(context: ServiceContext, backup: string) {
    this.#context = context;
    this.#catalogue = LedgerCatalogue.from(context.env);
    this.#backup = backup;
  }

  /** The first ledgers after an id of the catalogue, and how far they have come. One that cannot be asked does not stand in the way of others. */
  async list(after: number): Promise<SavedLedgers> {
    await assertBegun(this.#context, this.#backup);
    const found = await this.#catalogue.listAfter(after, LEDGERS_MAX);
    const atOnce = objectsAtOnce(this.#context.env, ASKED_AT_ONCE);
    const heads: Head[] = [];
    for (let from = 0; from < found.length; from += atOnce) {
      const some = found.slice(from, from + atOnce);
      heads.push(...(await Promise.all(some.map((ledger) => this.#head(ledger)))));
    }
    const ledgers = heads.flatMap((head) => (head.kind === "saved" ? [head.ledger] : []));
    const failed = heads.flatMap((head) => (head.kind === "failed" ? [head.ledger] : []));
    const last = found.at(-1);
    return last === undefined || found.length < LEDGERS_MAX
      ? { ledgers, failed }
      : { ledgers, failed, next: last.id };
  }

  /** The first entries of a range as JSON, one on each line, as an export has them; at least one if there is any. */
  async *log({ uuid, after, to }: SavedRange): AsyncGenerator<string, undefined> {
    const object = await this.#objectOf(uuid);
    yield* exportPages(object, { uuid, after, to, charactersMax: LOG_CHARACTERS_MAX });
  }

  /** What the log does not determine of the first entries of a range. Throws `VALIDATION` for an empty range. */
  async origins({ uuid, after, to }: SavedRange): Promise<LogOrigins> {
    if (to <= after) throw new AppError("VALIDATION", "'to' comes after 'after'");
    const object = await this.#objectOf(uuid);
    return callObject(object.readOrigins(uuid, after, to), READ_OF_LEDGER);
  }

  async #objectOf(uuid: string) {
    await assertBegun(this.#context, this.#backup);
    const ledger = await this.#catalogue.findByUuid(uuid);
    if (ledger === undefined) throw unknownLedger(uuid);
    return ledgerObject(this.#context.env, ledger.name);
  }

  /** A ledger with its head, or why its object does not give it. */
  async #head(ledger: Ledger): Promise<Head> {
    try {
      const object = ledgerObject(this.#context.env, ledger.name);
      const head = await callObject(object.head(ledger.uuid), HEAD_OF_LEDGER);
      return { kind: "saved", ledger: { ...ledger, ...head } };
    } catch (error) {
      const isAbsent = error instanceof AppError && error.kind === "LEDGER_NOT_FOUND";
      const found = isAbsent ? await this.#catalogue.findByUuid(ledger.uuid) : ledger;
      if (found === undefined) return { kind: "purged" };
      if (isAbsent && found.deletedAt !== undefined) {
        return { kind: "saved", ledger: { ...found, ...NOTHING } };
      }
      const { uuid, name } = found;
      if (!(error instanceof AppError)) {
        logError("a ledger does not tell a backup how far it has come", error, { ledger: name });
      }
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: "failed", ledger: { uuid, name, reason } };
    }
  }
}

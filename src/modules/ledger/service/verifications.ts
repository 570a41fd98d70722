import { type Ledger, LedgerCatalogue, unknownLedger } from "#modules/catalogue/index.ts";
import type { DatedReport } from "#modules/ledger/objects/audit-result.ts";
import type { ServiceContext } from "#platform/context.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

const TO_AUDIT: ObjectCall = { object: "audit", isRepeatable: true };

/** What is known of the verifications of a ledger. */
export interface LastVerification {
  /** The last verification that ended; undefined if there was none, or if it is not known. */
  readonly last: Required<DatedReport> | undefined;
  /** When a verification first found that the ledger differs from its log; undefined once a later one found no difference. */
  readonly inconsistentSince: Timestamp | undefined;
}

/** Verifies ledgers against their logs, each in an object beside it, and tells what was found last. */
export class LedgerVerifications {
  readonly #context: ServiceContext;
  readonly #catalogue: LedgerCatalogue;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#catalogue = LedgerCatalogue.from(context.env);
  }

  static from(context: ServiceContext): LedgerVerifications {
    return new LedgerVerifications(context);
  }

  /** Compares a ledger with its log. Where the report says that the work goes on, call again. Throws `NOT_FOUND`. */
  async verify(name: string): Promise<DatedReport> {
    const { uuid, bucket, features } = await this.#find(name);
    const audit = objectAt(this.#context.env, this.#context.env.AUDITS, name);
    return callObject(audit.audit({ uuid, name, bucket, features }), TO_AUDIT);
  }

  /** Throws `NOT_FOUND`. */
  async last(name: string): Promise<LastVerification> {
    const { uuid, inconsistentSince } = await this.#find(name);
    const audit = objectAt(this.#context.env, this.#context.env.AUDITS, name);
    return { last: await callObject(audit.last(uuid), TO_AUDIT), inconsistentSince };
  }

  /** A page of the ledgers that the principal may read and whose last verification found differences. */
  listInconsistent(query: PageQuery): Promise<Page<Ledger>> {
    return this.#catalogue.listInconsistent(query, this.#context.principal);
  }

  async #find(name: string): Promise<Ledger> {
    const ledger = await this.#catalogue.find(name);
    if (ledger === undefined) throw unknownLedger(name);
    return ledger;
  }
}

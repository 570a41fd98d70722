import type {
  Features,
  Filter,
  Metadata,
  Posting,
  Runtime,
  ScriptVariable,
} from "#library/index.ts";
import type { Page } from "#platform/paging/pagination.ts";

/** The idempotency key and the schema version of a write. */
export interface KeyedWrite {
  /**
   * A write with a key happens once: a repetition changes nothing and returns the first result; another write with the same key is refused
   * with `VALIDATION`. All clients of a ledger share its keys, so that a module puts its own name in front. The member may be undefined but
   * not absent, so that no caller forgets the key.
   */
  readonly idempotencyKey: string | undefined;
  /** The version of the schema whose rules the write follows. */
  readonly schemaVersion?: string | undefined;
}

export interface TransactionFields {
  readonly metadata?: Metadata | undefined;
  /** Unique in the ledger. A write with a reference that is taken throws `CONFLICT`. */
  readonly reference?: string | undefined;
  /** The effective date, in RFC 3339; by default, now. */
  readonly timestamp?: string | undefined;
  /** Metadata for accounts, by their addresses. */
  readonly accountMetadata?: Readonly<Record<string, Metadata>> | undefined;
}

export interface NewCommit extends TransactionFields {
  readonly postings: readonly Posting[];
  /** Lets the sources go below zero. */
  readonly force?: boolean | undefined;
}

export interface NewRun extends TransactionFields {
  /** Numscript source text. */
  readonly script: string;
  /** Values of variables, by their names without `$`. */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
  /** The runtime of the script; by default, that of the deployment. A module's own scripts name their runtime. */
  readonly runtime?: Runtime | undefined;
}

export interface NewTemplateRun extends TransactionFields {
  /** A transaction template of the schema whose rules the write follows. */
  readonly template: string;
  /** Values of variables, by their names without `$`. */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
}

export interface KeyedTemplateRun extends NewTemplateRun {
  readonly idempotencyKey: string;
  /** The number of triggers that led to the run; by default, as many as led to the whole call. */
  readonly causationDepth?: number | undefined;
}

/** The part of a transaction template that a caller has to know. */
export interface TemplateShape {
  /** Types of the variables that a run has to give, such as `monetary`, by the variables' names without `$`. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface LedgerCreation {
  /** Name of the bucket; by default, `_default`. */
  readonly bucket?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly features?: Partial<Features> | undefined;
}

/** The items that a list shows: all or those that pass a filter, now or at a point in time (RFC 3339). */
export interface LedgerScope {
  readonly where?: Filter | undefined;
  readonly pit?: string | undefined;
}

export interface LedgerListOptions extends LedgerScope {
  readonly order?: "asc" | "desc" | undefined;
}

/** The volumes of an account in one asset, and their difference. */
export interface AccountBalance {
  readonly account: string;
  readonly asset: string;
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
}

export interface LedgerPageRequest {
  /** Largest number of items, at most 1,000; a larger one is lowered to 1,000. With a cursor, the size of its list is the default. */
  readonly pageSize?: number | undefined;
  /** The cursor of an earlier page. Its options replace those that are given with it. */
  readonly cursor?: string | undefined;
}

/** A list of a ledger, read item by item to its end, or page by page. A page may be short or even empty, and still have a next one. */
export interface LedgerList<T> extends AsyncIterable<T> {
  page(request?: LedgerPageRequest): Promise<Page<T>>;
}

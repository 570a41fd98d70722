import type { SearchPosition } from "./position.ts";
import { type Kind, KINDS } from "#modules/search/core/kinds.ts";
import type { TermPolicy, Term } from "#modules/search/core/terms.ts";
import type { ServiceContext } from "#platform/context.ts";
import { allows } from "#platform/http/authenticator.ts";

/** The member of hits that a search is sorted by. */
export interface SearchSort {
  readonly field: string;
  readonly order: "asc" | "desc";
}

/** A search for objects of one kind. */
export interface SearchQuery {
  readonly kind: Kind;
  readonly terms: readonly Term[];
  readonly policy: TermPolicy;
  /** The names of the only ledgers that count, for kinds of a ledger; undefined for all. */
  readonly ledgers: readonly string[] | undefined;
}

/** An object as its own API shows it, with its kind and, if it has one, its ledger. */
export type SearchHit = Readonly<Record<string, unknown>>;

export interface PlacedHit {
  readonly hit: SearchHit;
  /** Where a page begins that follows this hit. */
  readonly position: SearchPosition;
}

/** The first hits behind a position. */
export interface FoundHits {
  readonly hits: readonly PlacedHit[];
  /** Where the search goes on, if it has ended before there were enough hits, because too many objects did not match. */
  readonly goesOnAt?: SearchPosition;
  /** Whether hits may be missing, because the beginning of a word stands for too many words. */
  readonly isPartial: boolean;
}

export const NOTHING_FOUND: FoundHits = { hits: [], isPartial: false };

/** Whether the principal has the scope of a kind. */
export const maySee = ({ principal }: ServiceContext, kind: Kind): boolean =>
  allows(principal.scopes, KINDS[kind].scope);

import type { QueryClient } from "@tanstack/react-query";
import type { Hit } from "./hits.ts";
import type { words } from "./words.en.ts";

export type ObjectKind = keyof (typeof words)["kind"];

/** What a search knows besides its text. */
export interface Search {
  readonly text: string;
  /** The path of the page from which it was begun. */
  readonly path: string;
  readonly queries: QueryClient;
  readonly signal: AbortSignal;
}

/** A kind of objects, and how they are found. */
export interface Source {
  readonly kind: ObjectKind;
  readonly scope: string;
  /** Whether the objects concern all ledgers, and are closed to who is bound to some. */
  readonly isOfAll?: true;
  readonly find: (search: Search) => Promise<readonly Hit[]>;
}

/** Hits of a source. */
export const HITS_MAX = 5;

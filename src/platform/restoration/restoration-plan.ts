import type { StoredRestoration } from "./restoration-token.ts";
import { parseColumns } from "#platform/json.ts";

/** What a restoration has to bring, as its beginning says. Its end is refused until all of it is there. */
export interface RestorationPlan {
  /** The last migration of the tables whose rows are written. */
  readonly migration: string;
  /** The ids of the keys with which values are encrypted. */
  readonly keyIds: readonly string[];
  /** The number of rows of each table of the database. */
  readonly tables: Readonly<Record<string, number>>;
  /** The number of ledgers whose logs come. */
  readonly ledgers: number;
  /** The uuids of ledgers that the database has, and the backup has no log of. */
  readonly missingLedgers: readonly string[];
  /** The number of objects of each class. */
  readonly objects: Readonly<Record<string, number>>;
}

/** The plan of a restoration. */
export const planOf = ({ plan }: Pick<StoredRestoration, "plan">): RestorationPlan =>
  parseColumns(plan) as RestorationPlan; // as the beginning has written it

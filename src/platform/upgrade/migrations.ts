import journal from "#migrations/meta/_journal.json" with { type: "json" };

/** The migrations of D1 that this code knows, in order, under the names by which wrangler records them. */
export const MIGRATIONS: readonly string[] = journal.entries.map(({ tag }) => `${tag}.sql`);

/**
 * The single migration of all versions before 0.2.0, which was rewritten in place several times, so that its name does not tell which
 * tables a database has.
 */
const BEFORE_RELEASES = "0000_init.sql";

/** The queries of the names of the migrations that were applied to a database, in order, and of the one that code has to know. */
export const APPLIED_QUERY = "SELECT name FROM d1_migrations ORDER BY id";
export const REQUIRED_QUERY = "SELECT name FROM required_migration WHERE id = 1";

/** The comparison of a database's migrations with those of the code. */
export type MigrationsState =
  | { readonly kind: "current" }
  /** A later version has added to the database, and says that this code works on it still. */
  | { readonly kind: "ahead"; readonly later: readonly string[] }
  /** The code knows migrations that the database lacks. */
  | { readonly kind: "behind"; readonly missing: readonly string[] }
  /** No migration leads from the database's tables to those of the code. `reason` tells the operator why, and what to do. */
  | { readonly kind: "refused"; readonly reason: string };

/** The migrations of a database. */
export interface AppliedMigrations {
  /** The names of those that were applied. */
  readonly applied: readonly string[];
  /** The one that code has to know at least (`tables.ts`); undefined for a database that does not say so. */
  readonly required?: string | undefined;
}

/**
 * Compares the migrations that were applied to a database with the `known` ones. A release first adds to tables, and only a later one takes
 * away what the first one no longer uses (expand, then contract), so that code of before and code of after work on the database at once:
 *
 *     migrations     0000 … 0014   0015 adds   0016 adds   0017 takes away what 0016 replaces
 *     required       0000          0000        0000        0016
 *     code of 0014   current       ahead       ahead       refused
 *     code of 0016                             current     ahead
 */
export function compareMigrations(
  { applied, required }: AppliedMigrations,
  known: readonly string[] = MIGRATIONS,
): MigrationsState {
  const names = new Set(known);
  const later = applied.filter((name) => !names.has(name));
  if (later[0] === BEFORE_RELEASES) return { kind: "refused", reason: MADE_BEFORE_RELEASES };
  const missing = known.filter((name) => !applied.includes(name));
  if (later.length === 0) {
    return missing.length === 0 ? { kind: "current" } : { kind: "behind", missing };
  }
  const isServed = missing.length === 0 && required !== undefined && names.has(required);
  if (isServed) return { kind: "ahead", later };
  return {
    kind: "refused",
    reason: `The database was written by a later version of Florin: this version does not know its migration ${later[0]}. Run the later version again, or one after it.`,
  };
}

/** The refusal of a state that was made before 0.2.0. */
export const MADE_BEFORE_RELEASES =
  "The state was made by a version of Florin before 0.2.0, whose tables later versions cannot bring up to date. Start it with the version that made it, export the log of each ledger there, and import the logs into a fresh state: CHANGELOG.md says how.";

/** The reason why a Worker refuses a database; undefined if it works on it. A Worker cannot apply migrations. */
export function whyRefused(state: MigrationsState): string | undefined {
  if (state.kind === "current" || state.kind === "ahead") return undefined;
  if (state.kind === "refused") return state.reason;
  return `The database lacks ${state.missing.join(", ")} of this version of Florin. Apply it with: npm run deploy`;
}

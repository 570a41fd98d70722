import journal from "#migrations/meta/_journal.json" with { type: "json" };

/** The migrations of D1 that this code knows, in order, under the names by which wrangler records them. */
export const MIGRATIONS: readonly string[] = journal.entries.map(({ tag }) => `${tag}.sql`);

/**
 * The single migration of all versions before 0.2.0, which was rewritten in place several times, so that its name does not tell which
 * tables a database has.
 */
const BEFORE_RELEASES = "0000_init.sql";

/** The comparison of a database's migrations with those of the code. */
export type MigrationsState =
  | { readonly kind: "current" }
  /** The code knows migrations that the database lacks. */
  | { readonly kind: "behind"; readonly missing: readonly string[] }
  /** No migration leads from the database's tables to those of the code. `reason` tells the operator why, and what to do. */
  | { readonly kind: "refused"; readonly reason: string };

/** Compares the names of migrations that were applied to a database with the `known` ones. */
export function compareMigrations(
  applied: readonly string[],
  known: readonly string[] = MIGRATIONS,
): MigrationsState {
  const names = new Set(known);
  const foreign = applied.find((name) => !names.has(name));
  if (foreign === BEFORE_RELEASES) return { kind: "refused", reason: MADE_BEFORE_RELEASES };
  if (foreign !== undefined) {
    return {
      kind: "refused",
      reason: `The database was written by a later version of Florin: this version does not know its migration ${foreign}. Run the later version again, or one after it.`,
    };
  }
  const missing = known.filter((name) => !applied.includes(name));
  return missing.length === 0 ? { kind: "current" } : { kind: "behind", missing };
}

/** The refusal of a state that was made before 0.2.0. */
export const MADE_BEFORE_RELEASES =
  "The state was made by a version of Florin before 0.2.0, whose tables later versions cannot bring up to date. Start it with the version that made it, export the log of each ledger there, and import the logs into a fresh state: CHANGELOG.md says how.";

/** The reason why a Worker refuses a database; undefined if the database is current. A Worker cannot apply migrations. */
export function whyRefused(state: MigrationsState): string | undefined {
  if (state.kind === "current") return undefined;
  if (state.kind === "refused") return state.reason;
  return `The database lacks ${state.missing.join(", ")} of this version of Florin. Apply it with: npm run deploy`;
}

/** The version of this code, equal to that of package.json and CHANGELOG.md. */
export const FLORIN_VERSION = "0.2.0";

/** Written into the Worker when it is built from a commit without changes (`scripts/lib/build/commit.ts`); not declared otherwise. */
declare const FLORIN_COMMIT: string;

/** The commit from which the Worker was built; undefined where it is not known. */
export const builtCommit = (): string | undefined =>
  typeof FLORIN_COMMIT === "string" ? FLORIN_COMMIT : undefined;

import { asc, eq, gt } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { KeptFiles } from "./kept-files.ts";
import type { CopyAnswers, CopyStep } from "./object-copy.ts";
import type { RestoredBy } from "./restored-class.ts";
import { databaseOf } from "#platform/db/database.ts";
import { callObject } from "#platform/objects/call.ts";
import type { Result } from "#platform/result.ts";

/** An object whose tables can be copied. */
export interface CopiedObject {
  readonly copyTables: (step: CopyStep) => Promise<Result<CopyAnswers[CopyStep["kind"]]>>;
}

/** A class of objects that hold what is nowhere else, so that their tables are in a backup. */
export interface CopiedClass {
  /** The name of the class. */
  readonly name: string;
  /** The first names of its objects behind a name, in order: fewer than `NAMES_MAX` only at the end. */
  readonly namesAfter: (env: Env, name: string) => Promise<readonly string[]>;
  /** Whether an object has a name: a call of another name would make an object. */
  readonly has: (env: Env, name: string) => Promise<boolean>;
  readonly objectOf: (env: Env, name: string) => CopiedObject;
  readonly restoredBy: RestoredBy;
  /** The files that the objects keep beside their tables; absent where there are none. */
  readonly files?: KeptFiles;
}

/** The names that `namesAfter` gives at once. */
export const NAMES_MAX = 500;

/** Names of objects that are the ids of rows in D1. */
export const namedByIds = (
  column: SQLiteColumn & { readonly table: SQLiteTable },
): Pick<CopiedClass, "has" | "namesAfter"> => ({
  namesAfter: async (env, name) => {
    const rows = await databaseOf(env)
      .select({ id: column })
      .from(column.table)
      .where(gt(column, name))
      .orderBy(asc(column))
      .limit(NAMES_MAX);
    return rows.map(({ id }) => String(id));
  },
  has: async (env, name) => {
    const rows = await databaseOf(env)
      .select({ id: column })
      .from(column.table)
      .where(eq(column, name));
    return rows.length > 0;
  },
});

/** Names of objects that `list` gives, all at once. */
export const namedByList = (
  list: (env: Env) => Promise<readonly string[]>,
): Pick<CopiedClass, "has" | "namesAfter"> => ({
  namesAfter: async (env, after) =>
    [...new Set(await list(env))]
      .filter((name) => name > after)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(0, NAMES_MAX),
  has: async (env, name) => (await list(env)).includes(name),
});

/** Longest wait for an object that copies a page, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Lets an object do a step of a copy. Throws its failure, and `OVERLOADED` if it does not answer. */
export async function copyStep<K extends CopyStep["kind"]>(
  object: CopiedObject,
  step: Extract<CopyStep, { readonly kind: K }>,
): Promise<CopyAnswers[K]> {
  const answer = await callObject(object.copyTables(step), {
    object: "object",
    isRepeatable: step.kind !== "end",
    timeoutMs: TIMEOUT_MS,
  });
  return answer as CopyAnswers[K]; // the answer of a step of this kind
}

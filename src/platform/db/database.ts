import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

/** D1 through Drizzle. Statements that belong together go through `batch`, which is atomic. */
export const databaseOf = (env: Pick<Env, "DB">): Database => drizzle(env.DB);

import { and, asc, gt } from "drizzle-orm";
import type { KnownRevocation } from "./revocation-list.ts";
import { authRevocations } from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";

/** Most rows of one query. */
const PAGE_ROWS = 5000;

/** The revocations with a larger id that still concern tokens, in the order of their ids. */
export async function loadRevocations(
  env: Pick<Env, "DB">,
  afterId: number,
): Promise<KnownRevocation[]> {
  const { id, expiresMs } = authRevocations;
  const found: KnownRevocation[] = [];
  for (let lastId = afterId; ;) {
    const page = await databaseOf(env)
      .select()
      .from(authRevocations)
      .where(and(gt(id, lastId), gt(expiresMs, Date.now())))
      .orderBy(asc(id))
      .limit(PAGE_ROWS);
    found.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return found;
    lastId = last.id;
  }
}

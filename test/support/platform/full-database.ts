import { env } from "cloudflare:workers";
import { createApp } from "#src/app.ts";
import { BASE_URL } from "#test/support/platform/api.ts";
import type { Send } from "#test/support/runner/isolate.ts";

const FULL = "database or disk is full: SQLITE_FULL";
const IS_INSERT = /\binsert\s+into\b/i;
const IS_RELEASE = /^delete from "storage_reserve"/i;

/**
 * D1 without a free page: it refuses each new row, unless the same batch has released a part of the reserve before. Deletions
 * and updates find room.
 */
function fullDatabase(): D1Database {
  const texts = new WeakMap<D1PreparedStatement, string>();
  const refuse = async () => {
    throw new Error(`D1_ERROR: ${FULL}`, { cause: new Error(FULL) });
  };
  const named = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    texts.set(statement, text);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => named(bind(...values), text);
    if (IS_INSERT.test(text)) Object.assign(statement, { run: refuse, all: refuse, raw: refuse });
    return statement;
  };
  const full = {
    prepare: (text: string) => named(env.DB.prepare(text), text),
    batch: (statements: D1PreparedStatement[]) => {
      const [first = "", ...others] = statements.map((one) => texts.get(one) ?? "");
      const needsRoom = [first, ...others].some((text) => IS_INSERT.test(text));
      return needsRoom && !IS_RELEASE.test(first) ? refuse() : env.DB.batch(statements);
    },
  };
  return full as unknown as D1Database; // Florin uses only these members
}

/** A client of a Worker whose database is full, while its objects have room. */
export function withFullDatabase(): Send {
  const app = createApp();
  const bindings = { ...env, DB: fullDatabase() };
  return async (path, init) => app.fetch(new Request(new URL(path, BASE_URL), init), bindings);
}

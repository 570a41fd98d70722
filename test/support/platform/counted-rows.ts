import { env } from "cloudflare:workers";

/** The bindings, with a database that counts the rows that D1 reads. */
export interface CountedBindings {
  readonly env: Env;
  /** The number of rows that were read since the last call. */
  readonly take: () => number;
}

export function countedBindings(): CountedBindings {
  let rows = 0;
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const counted = <R extends { readonly meta: D1Meta }>(result: R): R => {
    rows += result.meta.rows_read;
    return result;
  };
  const statementOf = (original: D1PreparedStatement): D1PreparedStatement => {
    const statement = new Proxy(original, {
      get: (target, name: keyof D1PreparedStatement) => {
        if (name === "bind") {
          return (...values: unknown[]) => statementOf(target.bind(...values));
        }
        if (name === "all") return async () => counted(await target.all());
        if (name === "run") return async () => counted(await target.run());
        if (name === "raw") {
          return async () => {
            const { results } = counted(await target.all());
            return results.map((row) => Object.values(row));
          };
        }
        return target[name].bind(target);
      },
    });
    originals.set(statement, original);
    return statement;
  };
  const DB = new Proxy(env.DB, {
    get: (target, name: keyof D1Database) => {
      if (name === "prepare") return (text: string) => statementOf(target.prepare(text));
      if (name !== "batch") return target[name].bind(target);
      return async (statements: readonly D1PreparedStatement[]) => {
        const results = await target.batch(
          statements.map((statement) => originals.get(statement) ?? statement),
        );
        return results.map(counted);
      };
    },
  });
  return {
    env: { ...env, DB },
    take: () => {
      const taken = rows;
      rows = 0;
      return taken;
    },
  };
}

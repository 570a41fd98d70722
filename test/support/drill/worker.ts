import clock from "#test/support/clock/worker.ts";

/** Whether D1 has no room for what is added. */
let isFull = false;

/** Statements that add or change rows. */
const ADDS = /^\s*(?:insert|update|replace)/i;

/** A database that is full when the drill says so. */
const fillable = (db: D1Database): D1Database =>
  new Proxy(db, {
    get: (target, key) => {
      if (key === "prepare") {
        return (text: string) => {
          if (isFull && ADDS.test(text)) throw new Error(FULL);
          return target.prepare(text);
        };
      }
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });

/** What D1 says. */
const FULL = "D1_ERROR: database or disk is full: SQLITE_FULL";

/** The Worker's environments with such a database, one for each, as code keeps what it knows of an environment. */
const environments = new WeakMap<Env, Env>();

function drilled(env: Env): Env {
  const known = environments.get(env) ?? { ...env, DB: fillable(env.DB) };
  environments.set(env, known);
  return known;
}

/** What the drill breaks that no request of a client can break. */
const BREAKS: Readonly<Record<string, (body: string, env: Env) => Promise<unknown>>> = {
  /** Executes a statement in D1. */
  "/api/test/sql": (body, env) => env.DB.exec(body),
  /** Puts a message into the queue of events. */
  "/api/test/message": (body, env) => env.EVENTS.send(JSON.parse(body)),
  "/api/test/fill": async (body) => (isFull = body === "true"),
};

/** The product with a clock that can be stepped, and a database and queues that can be broken. */
export default {
  ...clock,
  async fetch(request, env, ctx) {
    const breaks = BREAKS[new URL(request.url).pathname];
    if (breaks === undefined) return clock.fetch(request, drilled(env), ctx);
    await breaks(await request.text(), env);
    return new Response();
  },
} satisfies ExportedHandler<Env>;

export * from "#test/support/clock/worker.ts";

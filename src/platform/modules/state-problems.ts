import type { Module } from "./module.ts";
import { PLATFORM_TABLES } from "./platform-tables.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { stateGuardOf } from "#platform/upgrade/state-guard.ts";
import { TablesWatch } from "#platform/upgrade/tables-watch.ts";

/** The name under which the tables of the platform are checked. */
const PLATFORM = "platform";

/** The most problems that are shown. The state of another program has hundreds. */
const SHOWN_MAX = 20;

/** Problems that keep modules from working on the state. */
export interface StateProblems {
  /** A sentence for the operator about each problem. */
  readonly sentences: readonly string[];
  /** Whether a module with a version of its own has a problem, or a part of it has one. */
  readonly concern: (module: string) => boolean;
}

/** Makes the function that finds the problems of the state for some modules. */
export function stateProblems(modules: readonly Module[]): (env: Env) => Promise<StateProblems> {
  const wanted = new Map([
    [PLATFORM, PLATFORM_TABLES],
    ...modules.map(({ name, tables }) => [name, tables] as const),
  ]);
  const wholeOf = new Map(modules.map(({ name, partOf = name }) => [name, partOf]));
  const watchOf = memoByEnv((env: Env) => new TablesWatch(env, wanted));
  return async (env) => {
    const refusal = await stateGuardOf(env).refusal();
    if (refusal !== undefined) return { sentences: [refusal], concern: () => true };
    const lacks = await watchOf(env)
      .lacks()
      .catch((error: unknown) => {
        // A database that does not answer is no problem of the state; the health of each module shows it.
        logError("the tables of the database could not be read", error);
        return new Map<string, readonly string[]>();
      });
    const concerned = new Set([...lacks.keys()].map((name) => wholeOf.get(name) ?? name));
    return {
      sentences: shown([...lacks.values()].flat()),
      concern: (module) => concerned.has(PLATFORM) || concerned.has(module),
    };
  };
}

function shown(sentences: readonly string[]): string[] {
  const more = sentences.length - SHOWN_MAX;
  if (more <= 0) return [...sentences];
  return [...sentences.slice(0, SHOWN_MAX), `There are ${more} more problems of this kind.`];
}

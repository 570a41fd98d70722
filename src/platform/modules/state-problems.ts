import type { Module } from "./module.ts";
import { PLATFORM_TABLES } from "./platform-tables.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { stateGuardOf } from "#platform/upgrade/state-guard.ts";
import { TablesWatch } from "#platform/upgrade/tables-watch.ts";

/** Stands for the tables that all modules use. */
const PLATFORM = "platform";

/** So many problems are shown. A state that is not this code's at all has hundreds. */
const SHOWN_MAX = 20;

/** What keeps modules from working on the state. */
export interface StateProblems {
  /** Sentences, for the operator. */
  readonly sentences: readonly string[];
  /** Whether a module, one with a version of its own, lacks something. */
  readonly concern: (module: string) => boolean;
}

/** Makes the function that finds the problems of the state for these modules. */
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
        // The health of each module tells of a database that does not answer.
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

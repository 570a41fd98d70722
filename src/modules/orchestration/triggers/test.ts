import { Expressions, type FilterResult, type VariableResult } from "./expressions.ts";
import { LinkError, readLink } from "./link-reader.ts";
import { getTrigger } from "./store.ts";
import { fromJson } from "#expr";
import type { ServiceContext } from "#platform/context.ts";

/** The results of a trigger's expressions for a payload. */
export interface TriggerTest {
  /** Absent where the trigger has no filter. */
  readonly filter?: FilterResult;
  /** Absent where the filter does not match. */
  readonly variables?: Readonly<Record<string, VariableResult>>;
}

/**
 * Evaluates the expressions of a trigger for a payload. Nothing is started or stored, but links are read, in the name of the
 * principal of the context. Throws `NOT_FOUND`.
 */
export async function testTrigger(
  context: ServiceContext,
  id: string,
  payload: unknown,
): Promise<TriggerTest> {
  const { filter, vars } = await getTrigger(context, id);
  const expressions = new Expressions(fromJson(payload), context.clock(), {
    read: (uri) => readLink(context, uri, { principal: context.principal }),
  });
  const filtered =
    filter === undefined ? undefined : await withLinkErrors(() => expressions.filter(filter));
  if (filtered !== undefined && filtered.kind !== "match") return { filter: filtered };
  const variables: [string, VariableResult][] = [];
  for (const [name, source] of Object.entries(vars)) {
    variables.push([name, await withLinkErrors(() => expressions.variable(source))]);
  }
  return {
    ...(filtered === undefined ? {} : { filter: filtered }),
    variables: Object.fromEntries(variables),
  };
}

async function withLinkErrors<T>(
  evaluate: () => Promise<T>,
): Promise<T | { readonly kind: "error"; readonly error: string }> {
  try {
    return await evaluate();
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return { kind: "error", error: error.message };
  }
}

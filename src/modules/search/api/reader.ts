import { KIND_NAMES, KINDS } from "#modules/search/core/kinds.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The context of work that reads objects of all kinds into the index, which no client asked for. */
export const asReader = (context: ServiceContext): ServiceContext => ({
  ...context,
  principal: {
    ...context.principal,
    scopes: new Set(KIND_NAMES.map((kind) => KINDS[kind].scope)),
    ledgers: [],
  },
});

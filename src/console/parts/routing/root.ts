import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext } from "@tanstack/react-router";

interface Context {
  readonly queries: QueryClient;
}

/** The route above all others. `router.tsx` gives it the frame of the pages. */
export const root = createRootRouteWithContext<Context>()();

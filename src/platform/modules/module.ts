import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ResourceGroup } from "./resources.ts";
import type { ScopedModule } from "#platform/http/authenticator.ts";
import type { AppEnv } from "#platform/http/context.ts";

/** What the app needs to know of a module. */
export interface Module {
  /** Path segment below `/api`, and prefix of its scopes. */
  readonly name: ScopedModule;
  /** Version of the API that it speaks, as its clients compare it. */
  readonly version: string;
  readonly routes: () => OpenAPIHono<AppEnv>;
  /** Routes that are Florin's own, below `/api/florin/v1`. */
  readonly florinRoutes?: () => OpenAPIHono<AppEnv>;
  /** What the API document shows of it: each of its operations has the name of one of these resources as its tag. */
  readonly resources: readonly ResourceGroup[];
  /** Resolves when what the module stands on answers. */
  readonly check: (env: Env) => Promise<void>;
}

import type { z } from "@hono/zod-openapi";
import { ok, type Success } from "./ok.ts";
import { operations, type Registration } from "./operations.ts";
import type { ServiceContext } from "#platform/context.ts";

const service = operations({ tags: ["Service"], scope: "public" });

/** Shows the version of a module to everyone. */
export const infoOperation = <S extends z.ZodType>({
  path = "/_info",
  operationId,
  summary,
  schema,
  info,
}: {
  readonly path?: string;
  readonly operationId: string;
  readonly summary: string;
  readonly schema: S;
  /** The answer, or what makes it from the bindings. */
  readonly info: z.input<S> | ((env: Env) => z.input<S>);
}): Registration =>
  service.get(path, {
    operationId,
    summary,
    answer: ok.plain("The version", schema),
    handle: ({ context }) =>
      typeof info === "function" ? (info as (env: Env) => z.input<S>)(context.env) : info,
  });

/** Shows the health of a module to everyone. The check throws if the module does not work. */
export const healthOperation = <Health>({
  path = "/_healthcheck",
  operationId,
  summary,
  answer,
  check,
}: {
  readonly path?: string;
  readonly operationId: string;
  readonly summary: string;
  readonly answer: Success<Health>;
  readonly check: (context: ServiceContext) => NoInfer<Health> | Promise<NoInfer<Health>>;
}): Registration =>
  service.get(path, { operationId, summary, answer, handle: ({ context }) => check(context) });

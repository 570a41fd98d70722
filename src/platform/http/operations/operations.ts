import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Success } from "./ok.ts";
import type { Scope } from "#platform/http/authenticator.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, type EndpointSpec, type Method, type Parsed } from "#platform/http/endpoint.ts";
import { errors, type OwnErrorStatus, type Responses } from "#platform/http/responses.ts";

/** Registers operations on an app. */
export type Registration = (app: OpenAPIHono<AppEnv>) => void;

/** Registers operations in this order, which is also their order in the document. */
export const registration =
  (...registrations: readonly Registration[]): Registration =>
  (app) => {
    for (const register of registrations) register(app);
  };

/** The members that the operations of a group share. An operation may have its own `params` and `scope` instead. */
interface OperationGroup<P extends z.ZodType> extends Pick<
  EndpointSpec<P, z.ZodType, z.ZodType, z.ZodType, Responses>,
  "tags" | "params" | "before" | "honoursLedgers"
> {
  /** The beginning of all paths. */
  readonly path?: string;
  /** The module in the scopes `<module>:read` of reads and `<module>:write` of other operations; `public` needs no token. */
  readonly scope: string;
}

/** An operation besides the members of its group. Members that `EndpointSpec` has too are explained there. */
export interface OperationSpec<
  P extends z.ZodType,
  Q extends z.ZodType,
  H extends z.ZodType,
  B extends z.ZodType,
  Result,
> extends Omit<
  EndpointSpec<P, Q, H, B, Responses>,
  "method" | "path" | "scope" | "responses" | "failure" | "streams"
> {
  readonly scope?: Scope | "public";
  readonly answer: Success<Result>;
  /** Statuses of errors besides those that every operation has. */
  readonly errors?: readonly OwnErrorStatus[];
  /** Headers of every answer that succeeds. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly handle: (
    request: Parsed<z.output<P>, z.output<Q>, z.output<H>, z.output<B>>,
  ) => NoInfer<Result> | Promise<NoInfer<Result>>;
}

type Undescribed = z.ZodUnknown;

/**
 * Makes the verbs of a group of operations. Each operation succeeds with one kind of answer (`ok`), and its handler gives only the result. An operation
 * with several answers, or with an answer that is already written, calls `endpoint()` itself.
 *
 * ```ts
 * const pools = operations({ path: "/v3/pools", tags: ["Pools"], scope: "payments" });
 *
 * export const registerPools = registration(
 *   pools.get("/{poolID}", {                                    // GET /v3/pools/{poolID}, scope payments:read
 *     operationId: "v3GetPool",
 *     summary: "Read a pool",
 *     params: z.object({ poolID: uuidParam("pool") }),
 *     answer: ok.data("The pool", PoolResponse, toPoolView),    // 200 with {"data": toPoolView(pool)}
 *     errors: [404],
 *     handle: ({ params, context }) => getPool(context, params.poolID),
 *   }),
 *   pools.delete("/{poolID}", { … }),                           // scope payments:write
 * );
 * ```
 */
export function operations<Shared extends z.ZodType = Undescribed>(group: OperationGroup<Shared>) {
  const { path: prefix = "", scope: module, ...common } = group;
  const verb =
    (method: Method) =>
    <
      Result,
      P extends z.ZodType = Shared,
      Q extends z.ZodType = Undescribed,
      H extends z.ZodType = Undescribed,
      B extends z.ZodType = Undescribed,
    >(
      path: string,
      spec: OperationSpec<P, Q, H, B, Result>,
    ): Registration => {
      const { answer, errors: statuses = [], answerHeaders, handle, ...own } = spec;
      const { status, response, toAnswer } = answer;
      const headers = answerHeaders === undefined ? {} : { headers: answerHeaders };
      const described = {
        scope: scopeOf(module, method),
        ...common,
        ...own,
        method,
        path: `${prefix}${path}`,
        responses: { [status]: response, ...errors(...statuses) },
      } as EndpointSpec<P, Q, H, B, Responses>; // without params of its own, `P` is the type of the group's
      return (app) =>
        endpoint(app, described, async (request) => {
          const result = await handle(request);
          return { status, ...headers, ...toAnswer?.(result) };
        });
    };
  return {
    get: verb("get"),
    head: verb("head"),
    post: verb("post"),
    put: verb("put"),
    patch: verb("patch"),
    delete: verb("delete"),
  };
}

const isRead = (method: Method): boolean => method === "get" || method === "head";

const scopeOf = (module: string, method: Method): Scope | "public" =>
  module === "public" ? module : `${module}:${isRead(method) ? "read" : "write"}`;

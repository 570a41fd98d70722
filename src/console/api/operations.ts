import type { paths } from "#openapi";

/** Types of requests and answers by method and path, from the API document. */

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type OperationAt<M extends Method, P extends keyof paths> =
  paths[P] extends Record<M, infer O> ? O : never;

type Parameters<O, Place extends string> = O extends { parameters: { [K in Place]?: infer V } }
  ? Exclude<V, undefined>
  : never;

type JsonBody<O> = O extends { requestBody?: { content: { "application/json": infer B } } }
  ? B
  : never;

type Member<Name extends string, T> = [T] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

/** Optional parameters may also be undefined. */
type Query<T> = [T] extends [never] ? never : { readonly [K in keyof T]: T[K] | undefined };

/** Numbers of a path may be given as texts, because an id may be larger than a number. */
type Path<T> = [T] extends [never]
  ? never
  : { readonly [K in keyof T]: T[K] extends number ? number | string : T[K] };

/** Parameters and body of a request. */
export type Input<M extends Method, P extends keyof paths> = Member<
  "path",
  Path<Parameters<OperationAt<M, P>, "path">>
> &
  Member<"query", Query<Parameters<OperationAt<M, P>, "query">>> &
  Member<"body", JsonBody<OperationAt<M, P>>>;

type Success = 200 | 201 | 202;

type Content<R> = R extends { content: { "application/json": infer C } } ? C : undefined;

/** The body of the answer of a request that succeeded; undefined for an answer without a body. */
export type Output<M extends Method, P extends keyof paths> =
  OperationAt<M, P> extends { responses: infer R }
    ? Extract<keyof R, Success> extends never
      ? undefined
      : Content<R[Extract<keyof R, Success>]>
    : never;

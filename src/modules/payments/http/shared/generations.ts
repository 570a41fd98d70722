import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "#platform/http/context.ts";
import {
  type Answer,
  endpoint,
  type EndpointSpec,
  type Responses,
} from "#platform/http/endpoint.ts";

/** The specification of an operation on one object that both versions of the API share. Paths, names and parameters differ. */
interface SharedSpec<B extends z.ZodType, R extends Responses> extends Pick<
  EndpointSpec<z.ZodType, z.ZodType, z.ZodType, B, R>,
  "method" | "summary" | "description" | "scope" | "body" | "bodyBytesMax" | "responses"
> {
  /** The path after that of the object, such as `/metadata`. */
  readonly path: string;
}

type SharedHandler<Id, B extends z.ZodType, R extends Responses> = (request: {
  readonly id: Id;
  readonly body: z.output<B>;
  readonly c: Context<AppEnv>;
}) => Answer<NoInfer<R>> | Promise<Answer<NoInfer<R>>>;

/** Registers operations on one kind of object in one version of the API. */
export interface ObjectPath<Id> {
  readonly register: <B extends z.ZodType, const R extends Responses>(
    app: OpenAPIHono<AppEnv>,
    spec: SharedSpec<B, R> & { readonly operationId: string },
    handler: SharedHandler<Id, B, R>,
  ) => void;
}

export const objectPath = <P extends z.ZodType, Id>({
  path,
  tags,
  params,
  idOf,
}: {
  /** The path of one object, such as `/v3/pools/{poolID}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly params: P;
  readonly idOf: (params: z.output<P>) => Id;
}): ObjectPath<Id> => ({
  register: (app, spec, handler) =>
    endpoint(app, { ...spec, path: `${path}${spec.path}`, tags, params }, (request) =>
      handler({ id: idOf(request.params), body: request.body, c: request.c }),
    ),
});

/** Registers an operation in both versions of the API. */
export function inBoth<Id, B extends z.ZodType, const R extends Responses>(
  app: OpenAPIHono<AppEnv>,
  { at: [v3, v1], operationIds: [nameInV3, nameInV1], ...spec }: BothSpec<Id, B, R>,
  handler: SharedHandler<Id, B, R>,
): void {
  v3.register(app, { ...spec, operationId: nameInV3 }, handler);
  v1.register(app, { ...spec, operationId: nameInV1 }, handler);
}

interface BothSpec<Id, B extends z.ZodType, R extends Responses> extends SharedSpec<B, R> {
  readonly at: readonly [v3: ObjectPath<Id>, v1: ObjectPath<Id>];
  /** The operation's names in version 3 and in version 1. */
  readonly operationIds: readonly [v3: string, v1: string];
}

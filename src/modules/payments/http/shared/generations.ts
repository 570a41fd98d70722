import type { z } from "@hono/zod-openapi";
import type { ServiceContext } from "#platform/context.ts";
import {
  operations,
  type OperationSpec,
  registration,
  type Registration,
} from "#platform/http/index.ts";

/** An operation on one object that both versions of the API share. Paths, names and parameters differ. */
interface SharedSpec<Id, B extends z.ZodType, Result> extends Pick<
  OperationSpec<z.ZodType, z.ZodType, z.ZodType, B, Result>,
  "summary" | "description" | "body" | "answer" | "errors"
> {
  readonly handle: (request: {
    readonly id: Id;
    readonly body: z.output<B>;
    readonly context: ServiceContext;
  }) => NoInfer<Result> | Promise<NoInfer<Result>>;
}

type Verb = "get" | "patch" | "delete";

/** Registers operations on one kind of object in one version of the API. */
type ObjectPath<Id> = <B extends z.ZodType, Result>(
  verb: Verb,
  path: string,
  spec: SharedSpec<Id, B, Result> & { readonly operationId: string },
) => Registration;

export const objectPath = <P extends z.ZodType, Id>({
  idOf,
  ...group
}: {
  /** The path of one object, such as `/v3/pools/{poolID}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly params: P;
  readonly idOf: (params: z.output<P>) => Id;
}): ObjectPath<Id> => {
  const object = operations({ ...group, scope: "payments" });
  return (verb, path, { handle, ...spec }) =>
    object[verb](path, {
      ...spec,
      handle: ({ params, body, context }) => handle({ id: idOf(params), body, context }),
    });
};

/** Registers an operation in both versions of the API. */
export const inBoth = <Id, B extends z.ZodType, Result>(
  [v3, v1]: readonly [v3: ObjectPath<Id>, v1: ObjectPath<Id>],
  verb: Verb,
  {
    path,
    operationIds: [nameInV3, nameInV1],
    ...spec
  }: SharedSpec<Id, B, Result> & {
    /** The path after that of the object, such as `/metadata`. */
    readonly path: string;
    /** The operation's names in version 3 and in version 1. */
    readonly operationIds: readonly [v3: string, v1: string];
  },
): Registration =>
  registration(
    v3(verb, path, { ...spec, operationId: nameInV3 }),
    v1(verb, path, { ...spec, operationId: nameInV1 }),
  );

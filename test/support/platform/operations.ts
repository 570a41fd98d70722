import { send } from "./api.ts";

/** An operation of the API, as the document describes it. */
export interface Operation {
  readonly method: string;
  /** The path, with `{name}` for each parameter. */
  readonly path: string;
  readonly operationId: string;
  /** The scope that the operation needs; undefined for an operation without a token. */
  readonly scope: string | undefined;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

interface Described {
  readonly operationId: string;
  readonly security: readonly { readonly oauth2: readonly [string] }[];
}

/** All operations of all modules. */
export async function listOperations(): Promise<Operation[]> {
  const { paths } = await (await send("/openapi.json")).json<Document>();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security }]) => ({
      method: method.toUpperCase(),
      path,
      operationId,
      scope: security[0]?.oauth2[0],
    })),
  );
}

/** The path of an operation with values for its parameters, by default `x`. */
export const pathOf = (
  { path }: Pick<Operation, "path">,
  values: Readonly<Record<string, string>> = {},
): string => path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => values[name] ?? "x");

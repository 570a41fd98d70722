import type { StatementDefinition } from "./definition.ts";
import type { LineSource } from "./source.ts";
import { isOfKind, sourceOf } from "./store.ts";
import { usersAmong } from "./uses.ts";
import {
  collectorsOf,
  deleteFile,
  fileBytes,
  listLines,
} from "#modules/reconciliation/statements/content.ts";
import type { FileLine } from "#modules/reconciliation/statements/line.ts";
import {
  getStatement,
  listStatements,
  noStatement,
} from "#modules/reconciliation/statements/list.ts";
import type { ShownStatement } from "#modules/reconciliation/statements/statement.ts";
import { type Upload, uploadFile } from "#modules/reconciliation/statements/upload.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** A statement of a source, by the ids of both. */
export interface StatementIds {
  readonly sourceID: string;
  readonly statementID: string;
}

/** A source of files. Throws as `sourceOf` does, and `VALIDATION` for a source of another kind. */
async function filesOf(
  context: ServiceContext,
  id: string,
): Promise<LineSource<StatementDefinition>> {
  const source = await sourceOf(context, id);
  if (isOfKind(source, "statement")) return source;
  throw new AppError(
    "VALIDATION",
    `the source '${source.name}' is of the kind ${source.definition.kind} and has no statements`,
  );
}

/** Uploads a file to a source. Throws as `uploadFile` does. */
export async function uploadStatement(
  context: ServiceContext,
  sourceID: string,
  upload: Upload,
): Promise<ShownStatement> {
  const { id, definition } = await filesOf(context, sourceID);
  const { kind: _kind, ...reading } = definition;
  const { id: statementID } = await uploadFile(context, { id, reading }, upload);
  return getStatement(context, { sourceId: id, id: statementID });
}

/** A page of the statements of a source, the newest first. */
export async function statementsOf(
  context: ServiceContext,
  sourceID: string,
  query: PageQuery,
): Promise<Page<ShownStatement>> {
  const { id } = await filesOf(context, sourceID);
  return listStatements(context, id, query);
}

/** A statement with all its heads. */
export async function statementOf(
  context: ServiceContext,
  { sourceID, statementID }: StatementIds,
): Promise<ShownStatement> {
  const { id: sourceId } = await filesOf(context, sourceID);
  return getStatement(context, { sourceId, id: statementID });
}

/** A page of the lines of a statement. */
export async function linesOfStatement(
  context: ServiceContext,
  ids: StatementIds,
  query: PageQuery,
): Promise<Page<FileLine>> {
  const { statement } = await statementOf(context, ids);
  return listLines(context, { sourceId: statement.sourceId, id: statement.id }, query);
}

/** The bytes of a statement's file as it was uploaded. Throws `NOT_FOUND` for a file that was refused. */
export async function* fileOfStatement(
  context: ServiceContext,
  ids: StatementIds,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { statement } = await statementOf(context, ids);
  if (statement.state === "refused")
    throw noStatement(`${statement.id} with a file: it was refused`);
  yield* fileBytes(context, { sourceId: statement.sourceId, id: statement.id });
}

/**
 * Deletes a statement with its lines. Throws `STATEMENT_IN_USE` where a matching that uses the source has collected lines of it, which
 * would then miss their origin.
 */
export async function deleteStatement(context: ServiceContext, ids: StatementIds): Promise<void> {
  const { statement } = await statementOf(context, ids);
  const name = { sourceId: statement.sourceId, id: statement.id };
  const collectors = await collectorsOf(context, name);
  const users = new Set(await usersAmong(context, name.sourceId, collectors));
  const without = collectors.filter((matching) => !users.has(matching));
  await deleteFile(context, name, without);
}

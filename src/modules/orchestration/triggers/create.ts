import { and, eq, isNull, sql } from "drizzle-orm";
import { beginGeneration } from "./matching/catalogue.ts";
import { orchestrationTriggers } from "./tables.ts";
import { toTrigger, type Trigger } from "./trigger.ts";
import { parseExpression, printDiagnostic } from "#expr";
import { orchestrationWorkflows } from "#modules/orchestration/workflows/tables.ts";
import { isWorkflowVisible } from "#modules/orchestration/workflows/visible.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

/** The input for a new trigger, in which an empty text stands for an absent one. */
export interface NewTrigger {
  readonly name: string;
  readonly event: string;
  readonly version: string;
  readonly filter: string;
  readonly workflowId: string;
  readonly vars: Readonly<Record<string, string>>;
}

/** Most triggers of a deployment, besides deleted ones. An isolate holds all of them. */
const TRIGGERS_MAX = 1000;
/** Most variables of a trigger, and its longest name, event and version, in characters. */
const VARS_MAX = 100;
const TEXT_LENGTH_MAX = 255;

/**
 * Creates a trigger. Its instances act for the principal of the context, with the scopes and ledgers of this principal and no others.
 * Throws `VALIDATION`, and `NOT_FOUND` where the workflow does not exist or is deleted.
 */
export async function createTrigger(context: ServiceContext, input: NewTrigger): Promise<Trigger> {
  assertValid(input);
  const { env, principal, clock } = context;
  const { name, event, version, filter, workflowId, vars } = input;
  const db = databaseOf(env);
  const [workflow] = await db
    .select({ key: orchestrationWorkflows.key })
    .from(orchestrationWorkflows)
    .where(
      and(
        eq(orchestrationWorkflows.id, workflowId),
        isNull(orchestrationWorkflows.deletedAt),
        isWorkflowVisible(principal),
      ),
    );
  if (workflow === undefined) throw new AppError("NOT_FOUND", "workflow does not exists");
  await assertRoom(context);
  const id = newId();
  const change = new AuditedChange(context, {
    action: "orchestration.trigger.create",
    object: `triggers/${id}`,
  });
  const insertion = db
    .insert(orchestrationTriggers)
    .values({
      id,
      name,
      event,
      version: version === "" ? null : version,
      filter: filter === "" ? null : filter,
      workflowKey: workflow.key,
      vars: stringifyJson(vars),
      principal: toPrincipalColumn(principal),
      createdAt: clock(),
    })
    .returning();
  const [trigger] = await change.store(insertion, beginGeneration(db));
  return toTrigger({ trigger: present(trigger, "an insertion gives its row"), workflowId });
}

/** The checks come in the order of the reference, whose messages clients know. */
function assertValid({ name, event, version, filter, workflowId, vars }: NewTrigger): void {
  if (event === "") throw invalid("missing event");
  if (workflowId === "") throw invalid("missing workflow id");
  for (const text of [name, event, version]) {
    if (text.length > TEXT_LENGTH_MAX) {
      throw invalid(`name, event and version have at most ${TEXT_LENGTH_MAX} characters`);
    }
  }
  if (filter !== "") assertExpression(filter);
  const names = Object.keys(vars);
  if (names.length > VARS_MAX) throw invalid(`a trigger has at most ${VARS_MAX} variables`);
  for (const expression of Object.values(vars)) assertExpression(expression);
}

/** Longest part of an expression that a message repeats, in characters. */
const SHOWN_MAX = 500;

function assertExpression(source: string): void {
  const parsed = parseExpression(source);
  if (parsed.ok) return;
  const shown = source.length > SHOWN_MAX ? `${source.slice(0, SHOWN_MAX)}…` : source;
  const message = printDiagnostic(source, parsed.diagnostic);
  throw invalid(`error compiling expression '${shown}': ${message}`);
}

const invalid = (why: string): AppError => new AppError("VALIDATION", `validating data: ${why}`);

async function assertRoom({ env }: Pick<ServiceContext, "env">): Promise<void> {
  const [row] = await databaseOf(env)
    .select({ count: sql<number>`count(*)` })
    .from(orchestrationTriggers)
    .where(isNull(orchestrationTriggers.deletedAt));
  if (row === undefined || row.count < TRIGGERS_MAX) return;
  throw new AppError("VALIDATION", `there are at most ${TRIGGERS_MAX} triggers`);
}

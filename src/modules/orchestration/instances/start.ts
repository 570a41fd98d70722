import { derivedId } from "./derived-id.ts";
import { insertInstances, type NewInstanceRow } from "./insert.ts";
import { type FlowInstance, toInstance } from "./instance.ts";
import { getInstance } from "./store.ts";
import { InstanceTransition } from "./transition.ts";
import { lengthWith, type Variables } from "#modules/orchestration/core/variables.ts";
import { getWorkflow } from "#modules/orchestration/workflows/get.ts";
import type { Workflow } from "#modules/orchestration/workflows/workflow.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import { assert, present } from "#platform/assert.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { currentCause } from "#platform/tracing/cause.ts";

export interface NewInstance {
  readonly variables: Variables;
  /**
   * Starts with the same key by the same principal give one instance, as long as this instance is kept. A later start returns the instance
   * as it is by then.
   */
  readonly idempotencyKey?: string;
  /**
   * The principal to which the key belongs; by default, the principal of the context. An owner's scopes may change, and its keys stay the
   * same.
   */
  readonly keyOwner?: Principal;
}

/** Largest variables of an instance, in bytes of their JSON. */
const VARIABLES_BYTES_MAX = 65_536;
/** Longest stages with the variables put in, in characters: as JSON, they have to fit into a row of D1, which takes 2 MB. */
const STAGES_LENGTH_MAX = 300_000;

/** Most instances that are started together, because the events of all of them, with the stages that a start may pass, are one change. */
export const STARTS_PER_CHANGE_MAX = 20;

/** The instance of a start, and whether this start has created it. */
export interface StartedInstance {
  readonly instance: FlowInstance;
  readonly isNew: boolean;
}

export interface PreparedStart {
  readonly context: ServiceContext;
  readonly workflow: Workflow;
  readonly transition: InstanceTransition;
  readonly row: NewInstanceRow;
}

/**
 * Starts an instance of a workflow, also of a deleted one. The instance acts for the principal of the context, with its scopes and ledgers
 * and no others. The caller executes the instance; otherwise the sweep gives it to the platform. Throws `NOT_FOUND`; `VALIDATION` for
 * variables that are too large, and for a key that was used with another workflow or other variables; and `DISARMED` while the deployment
 * is disarmed.
 */
export async function startInstance(
  context: ServiceContext,
  { workflowId, ...start }: NewInstance & { readonly workflowId: string },
): Promise<StartedInstance> {
  const workflow = await getWorkflow(context, workflowId);
  await assertArmed(context);
  const [started] = await startInstances(context, [prepareStart(context, { workflow, ...start })]);
  const { instance, isNew } = present(started, "each start gives an instance");
  if (!isNew && !isStartedBy(instance, { workflow, ...start })) throw usedBefore();
  return { instance, isNew };
}

const isStartedBy = (
  instance: FlowInstance,
  { workflow, variables }: Pick<NewInstance, "variables"> & { readonly workflow: Workflow },
): boolean =>
  instance.workflow.key === workflow.key && inOrder(instance.variables) === inOrder(variables);

/** The variables as a text in the order of their names, because clients write the same object in any order. */
const inOrder = (variables: Variables): string =>
  stringifyJson(Object.entries(variables).toSorted(([one], [two]) => (one < two ? -1 : 1)));

const usedBefore = (): AppError =>
  new AppError("VALIDATION", "the idempotency key was used before with another request");

/** Prepares an instance for `startInstances`. Throws `VALIDATION` for variables that are too large. */
export function prepareStart(
  context: ServiceContext,
  {
    workflow,
    variables,
    idempotencyKey,
    keyOwner = context.principal,
  }: NewInstance & { readonly workflow: Workflow },
): PreparedStart {
  const text = stringifyJson(variables);
  if (new TextEncoder().encode(text).byteLength > VARIABLES_BYTES_MAX) {
    throw new AppError("VALIDATION", `the variables are larger than ${VARIABLES_BYTES_MAX} bytes`);
  }
  if (lengthWith(workflow.config.stages, variables) > STAGES_LENGTH_MAX) {
    throw new AppError(
      "VALIDATION",
      `the stages with their variables are longer than ${STAGES_LENGTH_MAX} characters`,
    );
  }
  const id = idempotencyKey === undefined ? newId() : idOf(keyOwner, idempotencyKey);
  const origin = { id, workflow, variables, round: 1, changeId: "" };
  const transition = new InstanceTransition(context, origin);
  transition.moment("instance-started", { workflowID: workflow.id });
  transition.publish("STARTED_WORKFLOW");
  transition.beginStage(0);
  const principal = toPrincipalColumn(context.principal);
  const { causationDepth = 0 } = context;
  const cause = currentCause()?.toText() ?? null;
  const row = { id, workflowKey: workflow.key, variables: text, principal, causationDepth, cause };
  return { context, workflow, transition, row };
}

/**
 * Starts at most `STARTS_PER_CHANGE_MAX` instances in one batch. Returns one for each start, in the same order, also where the instance
 * existed before.
 */
export async function startInstances(
  context: ServiceContext,
  starts: readonly PreparedStart[],
): Promise<StartedInstance[]> {
  assert(starts.length <= STARTS_PER_CHANGE_MAX, "a batch starts only so many instances");
  if (starts.length === 0) return [];
  const rows = await insertInstances(context, starts);
  const stored = new Map(rows.map((row) => [row.changeId, row]));
  return Promise.all(
    starts.map(async ({ transition, workflow, row: { id } }) => {
      const row = stored.get(transition.changeId);
      if (row !== undefined) return { instance: toInstance(row, workflow), isNew: true };
      return { instance: await getInstance(context, id), isNew: false };
    }),
  );
}

/**
 * The id of the instance that a principal starts with a key. A principal that is bound to other ledgers gets another id, because it may not
 * see the instances of the first one.
 */
const idOf = ({ issuer, subject, ledgers }: Principal, key: string): string =>
  derivedId([issuer, subject, ledgers, key]);

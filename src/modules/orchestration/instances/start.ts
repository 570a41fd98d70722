import { createHash } from "node:crypto";
import { type FlowInstance, toPrincipalColumn } from "./instance.ts";
import { getInstance } from "./store.ts";
import { lengthWith, type Variables } from "#modules/orchestration/core/variables.ts";
import { startRun } from "#modules/orchestration/run/platform.ts";
import { InstanceTransition } from "#modules/orchestration/run/transition.ts";
import { watchInstances } from "#modules/orchestration/run/watch.ts";
import { getWorkflow } from "#modules/orchestration/workflows/get.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

export interface NewInstance {
  readonly workflowId: string;
  readonly variables: Variables;
  /**
   * What is started with the same key by the same principal is one instance. The instance of a key that was started before is
   * given again as it is now, whatever its workflow and its variables.
   */
  readonly idempotencyKey?: string;
}

/** Largest variables of an instance, in bytes of their JSON. */
const VARIABLES_BYTES_MAX = 65_536;
/** Longest stages with the variables put in, in characters: as JSON, they have to fit into a row of D1, which takes 2 MB. */
const STAGES_LENGTH_MAX = 300_000;

/**
 * Starts an instance of a workflow, also of a deleted one. It acts for the principal of the context, with no more than the scopes
 * and ledgers of that one. Throws `NOT_FOUND`, and `VALIDATION` for variables that are too large.
 */
export async function startInstance(
  context: ServiceContext,
  { workflowId, variables, idempotencyKey }: NewInstance,
): Promise<FlowInstance> {
  const workflow = await getWorkflow(context, workflowId);
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
  const id = idempotencyKey === undefined ? newId() : idOf(context, idempotencyKey);
  const transition = new InstanceTransition(context, {
    id,
    workflow,
    variables,
    round: 1,
    changeId: "",
  });
  transition.moment("instance-started", { workflowID: workflow.id });
  transition.publish("STARTED_WORKFLOW");
  transition.beginStage(0);
  await watchInstances(context);
  const isNew = await transition.insert(
    {
      id,
      workflowKey: workflow.key,
      variables: text,
      principal: toPrincipalColumn(context.principal),
      createdAt: transition.now,
      run: 1,
      round: 1,
    },
    new AuditedChange(context, {
      action: "orchestration.instance.start",
      object: `instances/${id}`,
    }),
  );
  const instance = await getInstance(context, id);
  if (isNew && instance.terminatedAt === undefined) await startRun(context, instance);
  return instance;
}

/** The id of the instance that a principal starts with a key: a UUID of version 8, which is for such uses. */
function idOf({ principal }: ServiceContext, key: string): string {
  const { issuer, subject } = principal;
  const hash = createHash("sha256")
    .update(stringifyJson([issuer, subject, key]))
    .digest("hex");
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(18, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}

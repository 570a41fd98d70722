import { WorkflowConfigError } from "./config-error.ts";
import { isObject } from "./fields.ts";
import { checkStage, type StageConfig } from "./resolve.ts";
import { isStageType } from "./stages.ts";
import { assert } from "#platform/assert.ts";

/** The configuration of a workflow, as its creator has written it. */
export interface WorkflowConfig {
  readonly name: string;
  /** Stages, each an object with one key, which is the type of the stage. */
  readonly stages: readonly Readonly<Record<string, unknown>>[];
}

export const STAGES_MAX = 500;
/** Longest name of a workflow, in characters. */
const NAME_LENGTH_MAX = 1000;

/** Reads a configuration. Throws `WorkflowConfigError` for the first invalid value. */
export function parseConfig(value: unknown): WorkflowConfig {
  if (!isObject(value)) throw new WorkflowConfigError("expected an object with the stages", []);
  const { name = "", stages } = value;
  if (name !== null && typeof name !== "string") {
    throw new WorkflowConfigError("name: expected a text", ["name"]);
  }
  if ((name ?? "").length > NAME_LENGTH_MAX) {
    throw new WorkflowConfigError(`name: expected at most ${NAME_LENGTH_MAX} characters`, ["name"]);
  }
  const given = stages ?? [];
  if (!Array.isArray(given)) throw new WorkflowConfigError("stages: expected a list", ["stages"]);
  if (given.length > STAGES_MAX) {
    throw new WorkflowConfigError(`stages: expected at most ${STAGES_MAX} of them`, ["stages"]);
  }
  return { name: name ?? "", stages: given.map(parseStage) };
}

function parseStage(value: unknown, number: number): Readonly<Record<string, unknown>> {
  const path = ["stages", number];
  if (!isObject(value)) throw new WorkflowConfigError("a stage is an object with one key", path);
  const [type, ...others] = Object.keys(value);
  if (type === undefined) throw new WorkflowConfigError("empty specification", path);
  if (others.length > 0) {
    throw new WorkflowConfigError("a specification should have only one name", path);
  }
  if (!isStageType(type))
    throw new WorkflowConfigError(`unable to resolve schema ${type}`, [...path, type]);
  const fields = value[type] ?? {};
  if (!isObject(fields)) throw new WorkflowConfigError("expected an object", [...path, type]);
  checkStage({ type, fields, number });
  return value;
}

/** A stage of a configuration that `parseConfig` has read. */
export function stageAt({ stages }: WorkflowConfig, number: number): StageConfig | undefined {
  const stage = stages[number];
  if (stage === undefined) return undefined;
  const [type = ""] = Object.keys(stage);
  const fields = stage[type] ?? {};
  assert(isStageType(type) && isObject(fields), "a stored configuration was checked");
  return { type, fields, number };
}

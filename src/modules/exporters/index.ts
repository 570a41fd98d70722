/**
 * Exporters and pipelines: the logs of ledgers, sent to where others read them. What surprises:
 *
 * - D1 says what a pipeline should do, and its object knows how far it got. There is no transaction across the two: every
 *   change counts a revision up, and a sweep tells the objects that have not heard of theirs.
 * - Delivery is at least once and in order: an entry comes again after a failure, never before an earlier one.
 * - An idle pipeline does not poll; see `PipelineObject`.
 */
export { registerExporters } from "./http/exporters.ts";
export { registerPipelines, registerPipelineStates } from "./http/pipelines.ts";
export { PipelineObject } from "./pipeline-object.ts";
export {
  deletePipelinesOf,
  PipelineService,
  resumePipelinesOf,
  wakePipelinesOf,
} from "./pipeline-service.ts";

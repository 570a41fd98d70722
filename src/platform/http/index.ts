/** The face of HTTP for modules: everything that registrations of operations and their schemas need. Files of this folder do not import it. */

export { elementPace, takeElements } from "./access.ts";
export { type AppEnv, deploymentOf } from "./context.ts";
export {
  type Answer,
  Chunks,
  empty,
  endpoint,
  type EndpointSpec,
  errors,
  json,
  longList,
  type Responses,
  texts,
} from "./endpoint.ts";
export {
  ExpandParam,
  filterOf,
  FilterParams,
  HistoryParams,
  ListParams,
  type ListRules,
  PageSize,
  TimestampParam,
  toPageQuery,
} from "./listing.ts";
export { ok, type Success } from "./operations/ok.ts";
export {
  operations,
  type OperationSpec,
  registration,
  type Registration,
} from "./operations/operations.ts";
export {
  restorationOf,
  restorationOperations,
  RestorationParams,
  RESTORING,
  writtenRestorationOf,
} from "./operations/restorations.ts";
export { healthOperation, infoOperation } from "./operations/service.ts";
export {
  BigInteger,
  BigIntegerInput,
  BooleanParam,
  Count,
  cursorOf,
  cursorText,
  dataOf,
  dataText,
  ErrorResponse,
  MetadataSchema,
  RangeResponse,
  TimestampInput,
  TimestampOutput,
  toCursorView,
} from "./schemas.ts";

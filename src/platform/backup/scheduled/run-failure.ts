import { OperatorError } from "#platform/errors.ts";

/** The end of a run that waiting does not help: the next one begins with the next day. */
export class RunFailure extends OperatorError {
  override name = "RunFailure";
}

import { OperatorError } from "#platform/errors.ts";

/** The end of a run that waiting does not help: the next one begins with the next day, or an hour later where the reason may pass. */
export class RunFailure extends OperatorError {
  override name = "RunFailure";
  readonly isPassing: boolean;

  constructor(
    message: string,
    { isPassing = false, ...options }: ErrorOptions & { readonly isPassing?: boolean } = {},
  ) {
    super(message, options);
    this.isPassing = isPassing;
  }
}

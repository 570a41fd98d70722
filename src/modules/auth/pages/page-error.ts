import { AppError } from "#platform/errors.ts";

/** A page cannot be shown, for a reason that the person is told. */
export class PageError extends AppError {
  readonly status: number;

  constructor(status: number, message: string, options: { cause?: unknown } = {}) {
    super("VALIDATION", message, options);
    this.name = "PageError";
    this.status = status;
  }
}

import { AppError } from "#platform/errors.ts";

/** An error whose message is shown to the person on a page. */
export class PageError extends AppError {
  readonly status: number;

  constructor(status: number, message: string, options: { cause?: unknown } = {}) {
    super("VALIDATION", message, options);
    this.name = "PageError";
    this.status = status;
  }
}

import { Visitor } from "./visitor.ts";
import { BASE_URL, send } from "#test/support/platform/api.ts";
import type { Send } from "#test/support/platform/isolate.ts";

export { hiddenField } from "./visitor.ts";

/** A visitor of the Worker in this process. */
export class PageVisitor extends Visitor {
  /** `fetch` is another isolate, if it is not the Worker itself. */
  constructor(fetch: Send = send) {
    super({ origin: BASE_URL, fetch });
  }
}

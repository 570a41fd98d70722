import { Visitor } from "./visitor.ts";
import { BASE_URL, send } from "#test/support/platform/api.ts";
import type { Send } from "#test/support/runner/isolate.ts";

export { hiddenField } from "./visitor.ts";

/** A browser at the Worker of this process. */
export class PageVisitor extends Visitor {
  /** `fetch` may reach another isolate than the Worker of this process. */
  constructor(fetch: Send = send) {
    super({ origin: BASE_URL, fetch });
  }
}

import { readBatching } from "./batching.ts";
import type { Driver } from "./driver.ts";

/** Accepts all entries and does nothing with them, for trying out pipelines. Its config may have any fields. */
export const noopDriver: Driver = {
  name: "noop",
  open: (config) => ({ batching: readBatching(config), send: async () => undefined }),
};

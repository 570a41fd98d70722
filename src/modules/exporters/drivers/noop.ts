import { readBatching } from "./batching.ts";
import type { Driver } from "./driver.ts";

/** Accepts everything and does nothing with it, for trying out pipelines. Its config may have any fields. */
export const noopDriver: Driver = {
  name: "noop",
  open: (config) => ({ batching: readBatching(config), send: async () => undefined }),
};

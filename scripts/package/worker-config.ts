import { inProject } from "#scripts/lib/project.ts";
import type * as workerConfig from "#scripts/lib/runtime/worker-config.ts";

/** The options of the Worker, which the build of the package has put in place of this empty value. */
declare const WORKER_CONFIG: workerConfig.WorkerConfig;

/** Returns the contents of wrangler.toml, as options of Miniflare, with the folder of files in the package. */
export const readWorkerConfig: typeof workerConfig.readWorkerConfig = async () => ({
  ...WORKER_CONFIG,
  worker: {
    ...WORKER_CONFIG.worker,
    rootPath: inProject(),
    assets: { ...WORKER_CONFIG.worker.assets, directory: inProject("assets") },
  },
});

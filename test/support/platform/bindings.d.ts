declare namespace Cloudflare {
  interface Env {
    /** What the tests' own configuration binds, next to the bindings of wrangler.toml. */
    readonly TEST_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    readonly EXPORT_QUEUE: Queue;
    readonly EXPORT_BUCKET: R2Bucket;
  }
}

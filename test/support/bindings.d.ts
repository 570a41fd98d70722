declare namespace Cloudflare {
  interface Env {
    /** What the tests' own configuration binds, next to the bindings of wrangler.toml. */
    readonly TEST_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    readonly TEST_QUEUE: Queue;
    readonly TEST_BUCKET: R2Bucket;
  }
}

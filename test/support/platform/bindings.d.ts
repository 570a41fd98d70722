declare namespace Cloudflare {
  interface Env {
    /** What the tests' own configuration binds, next to the bindings of wrangler.toml. */
    readonly TEST_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    /** A second database, which only the tests of an empty deployment migrate. */
    readonly EMPTY_DB: D1Database;
    readonly EXPORT_QUEUE: Queue;
    readonly EXPORT_BUCKET: R2Bucket;
  }
}

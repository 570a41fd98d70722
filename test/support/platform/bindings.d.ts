declare namespace Cloudflare {
  interface Env {
    /** Bindings of the tests' own configuration, in addition to those of wrangler.toml. */
    readonly TEST_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    /** A second database, which only tests of an empty deployment migrate. */
    readonly EMPTY_DB: D1Database;
    readonly EXPORT_QUEUE: Queue;
    readonly EXPORT_BUCKET: R2Bucket;
  }
}

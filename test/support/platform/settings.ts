/** The settings of contract tests, which are those of a server on a developer's machine. */
export const TEST_SETTINGS = {
  FLORIN_LOCAL: "true",
  FLORIN_SECRET_KEY: "dGVzdHMtb25seS1rZXktb2YtZXhhY3RseS0zMmJ5dGU=",
  FLORIN_CLIENT_ID: "test-client",
  FLORIN_CLIENT_SECRET: "test-client-secret",
  FLORIN_ALLOW_PRIVATE_HOSTS: "true",
  FLORIN_PIPELINE_PUSH_RETRY_PERIOD: "100ms",
  FLORIN_PIPELINE_SYNC_PERIOD: "100ms",
  FLORIN_PAYMENTS_POLLING_PERIOD_MIN: "100ms",
  // The generic provider of tests lists everything.
  FLORIN_PAYMENTS_GENERIC_LISTS_ALL: "true",
  // A low limit, so that loops of triggers end soon.
  FLORIN_TRIGGER_DEPTH: "4",
  // A high limit, because all tests act as one client, and other tests cover the limits of a ledger and of the event stream.
  FLORIN_LIMIT_REQUESTS: "4096",
  FLORIN_LIMIT_CREATIONS: "1024",
  FLORIN_LIMIT_STARTS: "1024",
  FLORIN_LIMIT_EXPORTS: "100",
  FLORIN_LIMIT_STREAMS: "1000",
} as const;

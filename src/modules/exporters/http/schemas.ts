import { z } from "@hono/zod-openapi";
import { DRIVER_NAMES } from "#modules/exporters/drivers/index.ts";
import { Count, TimestampOutput } from "#platform/http/index.ts";
import { SECRET_MASK } from "#platform/secrets/url-secrets.ts";

const DRIVERS = DRIVER_NAMES.map((name) => `\`${name}\``).join(", ");

const CONFIGS = `What the driver takes:

- \`http\`: \`url\`. Each batch is posted as a JSON array of log entries with the name of their \`ledger\`.
- \`clickhouse\`: \`dsn\`, a URL of the server's HTTP interface: \`http://user:password@host:8123/database?settings\`. A URL of the native interface, \`clickhouse://user:password@host:9000/database?settings\`, means the HTTP interface of the same server: on port 8123, or on port 8443 with https if the native port is 9440 or the URL has \`secure=true\`. A server with other ports needs \`http_port=\`; without it, the exporter is created, and its pipelines show what is missing. The exporter creates the table \`logs\`.
- \`elasticsearch\`: \`endpoint\`, \`index\` (\`unified-stack-data\` by default), \`authentication\` with \`username\` and \`password\`.
- \`queue\`: \`binding\`, the name of a Queue binding of the Worker, which begins with \`EXPORT_\`. A message is the JSON text of an entry.
- \`r2\`: \`binding\`, the name of an R2 binding of the Worker, which begins with \`EXPORT_\`, and \`prefix\` of the keys. Each batch is an object of newline-delimited JSON, \`<prefix><ledger>/<first id>-<last id>-<date>.ndjson\`.
- \`noop\`: anything; entries are discarded.

All of them take \`batching\` with \`maxItems\`, up to \`FLORIN_PIPELINE_PAGE_SIZE\`, and \`flushInterval\`, the duration for which entries may wait for a batch to fill (\`1s\` by default). In answers, \`${SECRET_MASK}\` stands for passwords and, in URLs, for the values of parameters whose names speak of a secret, such as \`api_key\` or \`token\`. An update of the same server that sends \`${SECRET_MASK}\` back keeps the stored secret.`;

export const ExporterRequest = z
  .object({
    driver: z
      .string({
        error: (issue) =>
          `json: cannot unmarshal ${typeof issue.input} into Go struct field ExporterConfiguration.driver of type string`,
      })
      .optional()
      .openapi({ description: `One of ${DRIVERS}`, example: "http" }),
    config: z
      .unknown()
      .optional()
      .openapi({
        type: "object",
        additionalProperties: true,
        description: CONFIGS,
        example: { url: "https://logs.example.com/in", batching: { maxItems: 50 } },
      }),
  })
  .openapi("V2ExporterConfiguration");

export const ExporterParams = z.object({ exporterID: z.string() });

export const ExporterResponse = z
  .object({
    driver: z.string(),
    config: z.record(z.string(), z.unknown()),
    id: z.string(),
    createdAt: TimestampOutput,
    error: z.string().optional().openapi({
      description:
        "Present if the stored config can't be decrypted: `config` is then empty, and the pipelines deliver nothing",
    }),
  })
  .openapi("V2Exporter");

export const PipelineRequest = z
  .object({ exporterID: z.string().min(1, "expected the id of an exporter") })
  .openapi("V2CreatePipelineRequest");

export const LedgerParams = z.object({ ledger: z.string() });
export const PipelineParams = LedgerParams.extend({ pipelineID: z.string() });

export const PipelineResponse = z
  .object({
    ledger: z.string(),
    exporterID: z.string(),
    createdAt: TimestampOutput,
    id: z.string(),
    enabled: z.boolean(),
    lastLogID: Count.optional().openapi({ description: "The last entry that was accepted" }),
    error: z.string().optional().openapi({
      description: "Why the last attempt failed, or that the pipeline does not answer",
    }),
  })
  .openapi("V2Pipeline");

const Failure = z
  .object({
    message: z.string(),
    date: TimestampOutput,
    since: TimestampOutput.openapi({ description: "The first failure after the last success" }),
    attempts: Count.openapi({ description: "Failures since the last success" }),
  })
  .openapi("PipelineFailure");

/** The state of a pipeline, which is Florin's own. */
export const PipelineStateResponse = z
  .object({
    id: z.string(),
    ledger: z.string(),
    exporterID: z.string(),
    createdAt: TimestampOutput,
    enabled: z.boolean(),
    state: z.enum(["ready", "started", "paused", "failing"]).openapi({
      description:
        "`ready`: the pipeline has delivered nothing since it was created or reset. `started`: it delivers, or waits for entries. `paused`: it was stopped. `failing`: the last attempt failed and will be repeated, or the pipeline does not answer.",
    }),
    lastLogID: Count.optional(),
    lag: Count.openapi({
      description:
        "The largest number of entries that may still have to be delivered: the distance from the id of the last delivered entry to that of the ledger's last one. Some ids between them may be unused.",
    }),
    delivered: z.object({
      entries: Count.openapi({
        description: "Entries delivered since the pipeline was created, repetitions included",
      }),
      batches: Count,
    }),
    lastDeliveryAt: TimestampOutput.optional(),
    lastError: Failure.optional(),
  })
  .openapi("PipelineState");

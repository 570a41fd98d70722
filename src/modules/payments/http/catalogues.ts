import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import type { ConfigField } from "#modules/payments/connectors/config.ts";
import { CONNECTOR_KINDS } from "#modules/payments/connectors/index.ts";
import { CAPABILITIES } from "#modules/payments/core/enums.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import { formatDurationMs } from "#platform/duration.ts";
import { stringifyJson } from "#platform/json.ts";

/** Fields of configurations and capabilities of the kinds of connectors, for clients that are about to install one. */

const FieldResponse = z.object({
  dataType: z.string(),
  required: z.boolean(),
  defaultValue: z.string(),
  secret: z.literal(true).optional().openapi({
    description: "Florin's own: whether only clients that may write read the value in clear.",
  }),
});

export const ConfigsResponse = z
  .object({ data: z.record(z.string(), z.record(z.string(), FieldResponse)) })
  .openapi("PaymentConnectorConfigs");

export const CapabilitiesResponse = z
  .object({ data: z.record(z.string(), z.array(z.enum(CAPABILITIES))) })
  .openapi("PaymentConnectorCapabilities");

/** The fields in the configuration of each kind. The default of the polling period is that of this deployment. */
export const configsView = (env: Env): z.input<typeof ConfigsResponse> => ({
  data: Object.fromEntries(
    CONNECTOR_KINDS.map(({ key, fields }) => [
      key,
      {
        ...Object.fromEntries(fields.map((field) => [field.name, toFieldView(field)])),
        name: { dataType: "string", required: true, defaultValue: "" },
        pollingPeriod: {
          dataType: "duration ns",
          required: false,
          defaultValue: standardPeriod(env),
        },
      },
    ]),
  ),
});

const standardPeriod = (env: Env): string =>
  formatDurationMs(paymentSettings.of(env).FLORIN_PAYMENTS_POLLING_PERIOD);

const toFieldView = ({ type, isRequired, isSecret = false }: ConfigField) => ({
  dataType: type,
  required: isRequired,
  defaultValue: "",
  ...(isSecret ? { secret: true as const } : {}),
});

export const capabilitiesView = (): z.input<typeof CapabilitiesResponse> => ({
  data: Object.fromEntries(
    CONNECTOR_KINDS.map(({ key, capabilities }) => [key, [...capabilities]]),
  ),
});

/** An entity tag, which changes only with the answer. */
export const etagOf = (body: unknown): string =>
  `"${createHash("sha256").update(stringifyJson(body)).digest("hex")}"`;

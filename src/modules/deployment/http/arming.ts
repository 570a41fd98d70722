import { z } from "@hono/zod-openapi";
import { arm, disarm } from "#modules/deployment/arming/change.ts";
import { type ArmedConnector, type Arming, readArmingOf } from "#modules/deployment/arming/read.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** Longest note, in characters. */
const NOTE_LENGTH_MAX = 1000;

const Reason = z.enum(["operator", "restored"]).openapi({
  description:
    "`operator` for somebody who stops everything that leaves the deployment; `restored` for a copy of another deployment, which is armed only when the original is stopped",
});

const Actor = z
  .object({ issuer: z.string(), subject: z.string(), clientId: z.string() })
  .openapi("ArmingActor");

const ArmedConnectorResponse = z
  .object({
    id: z.string(),
    armedAt: TimestampOutput,
    by: Actor.optional().openapi({
      description: "Who has armed it by itself; absent if it was armed with everything",
    }),
    phase: z.enum(["looking", "armed"]).openapi({
      description:
        "`looking` while a connector of a restored deployment looks up at its provider what the original has paid, when no money of it moves; then `armed`",
    }),
    failingSince: TimestampOutput.optional().openapi({
      description: "Since when the look-up cannot go on, which it does by itself",
    }),
    error: z.string().optional().openapi({ description: "Why it cannot" }),
  })
  .openapi("ArmedConnector");

const ArmingResponse = z
  .object({
    armed: z.boolean().openapi({ description: "Whether the deployment calls other servers" }),
    since: TimestampOutput.optional().openapi({ description: "Since when it does not" }),
    reason: Reason.optional(),
    bySetting: z.boolean().optional().openapi({
      description:
        "True where the setting `FLORIN_DISARMED` says so: the deployment is only armed after the setting is taken away",
    }),
    note: z.string().optional().openapi({ description: "What an operator has noted last" }),
    by: Actor.optional().openapi({ description: "Who has disarmed it last" }),
    revision: z.string().optional().openapi({ description: "Changes with each disarming" }),
    connectors: z.array(ArmedConnectorResponse).openapi({
      description:
        "The connectors that are armed while everything else is not; if everything is armed, those whose look-ups are under way",
    }),
  })
  .openapi("Arming", {
    example: {
      armed: false,
      since: "2026-03-01T09:30:00Z",
      reason: "operator",
      note: "payouts to the wrong account",
      by: { issuer: "https://florin.example.com/api/auth", subject: "ada", clientId: "console" },
      revision: "2f6ac5cf-9de5-4a9b-a1c6-3f4ad2f5e3a1",
      connectors: [],
    },
  });

const toView = ({ setting, disarmed, connectors }: Arming): z.input<typeof ArmingResponse> => {
  const given = setting === undefined ? {} : { reason: setting, bySetting: true };
  const shown = connectors.map((connector) => toConnectorView(connector));
  if (disarmed === undefined) {
    return { armed: setting === undefined, ...given, connectors: shown };
  }
  const { since, reason, note } = disarmed;
  return {
    armed: false,
    since: formatTimestamp(since),
    reason,
    ...(note === "" ? {} : { note }),
    by: toActor(disarmed),
    revision: disarmed.revision,
    ...given,
    connectors: shown,
  };
};

function toConnectorView(connector: ArmedConnector): z.input<typeof ArmedConnectorResponse> {
  const { connectorId, armedAt, by, lookup } = connector;
  const isLooking = lookup !== undefined && lookup.endedAt === null;
  return {
    id: connectorId,
    armedAt: formatTimestamp(armedAt),
    ...(by === undefined ? {} : { by: toActor(by) }),
    phase: isLooking ? "looking" : "armed",
    ...(isLooking ? optionalTimestamp("failingSince", lookup.failingSince ?? undefined) : {}),
    ...(isLooking && lookup.lastError !== null ? { error: lookup.lastError } : {}),
  };
}

const toActor = ({ issuer, subject, clientId }: z.output<typeof Actor>) => ({
  issuer,
  subject,
  clientId,
});

const group = operations({
  tags: ["Arming"],
  scope: "florin",
  // The switch is for everything, whatever ledgers a token is bound to.
  honoursLedgers: false,
});
/** The scope of all operations. */
const OPERATE = { scope: "florin:operate" } as const;

/** Registers the switch for everything that leaves the deployment, below `/api/florin/v1`. */
export const registerArming = registration(
  group.get("/arming", {
    ...OPERATE,
    operationId: "florinReadArming",
    summary: "Read whether the deployment calls other servers",
    answer: ok.data("The state", ArmingResponse, toView),
    handle: ({ context }) => readArmingOf(context),
  }),
  group.post("/disarm", {
    ...OPERATE,
    operationId: "florinDisarm",
    summary: "Stop everything that leaves the deployment",
    description:
      "Webhooks, exporters, connectors, workflows, triggers and scheduled rules wait until the deployment is armed, and nothing is lost; ledgers and all reads go on. When the answer comes, which takes about two seconds, no further call begins; calls that have begun may run for another 40 seconds. A deployment that is disarmed stays so since its first time, and shows the last note and its author; connectors that were armed by themselves are disarmed, too.",
    body: z
      .object({
        reason: Reason.default("operator"),
        note: z.string().max(NOTE_LENGTH_MAX).default(""),
      })
      .default({ reason: "operator", note: "" }),
    answer: ok.data("The state", ArmingResponse, toView),
    handle: ({ body, context }) => disarm(context, body),
  }),
  group.post("/arm", {
    ...OPERATE,
    operationId: "florinArm",
    summary: "Let the deployment call other servers again, or one connector",
    description:
      "What has waited goes on within about fifteen seconds, or two minutes after a long stop. A connector that is armed by itself fetches and moves money, while everything else waits. In a restored deployment, it first looks up at its provider which of its open payments the original has made; a person decides about those that cannot be looked up.",
    body: z
      .object({
        connectorID: z.string().max(1000).optional().openapi({
          description: "The only connector that is armed; absent for everything",
        }),
        originalIsStopped: z.boolean().default(false).openapi({
          description:
            "Says that the original of a restored deployment is stopped, which that needs: both would otherwise go on paying",
        }),
        revision: z.string().max(100).optional().openapi({
          description:
            "The revision that the operator has seen. If somebody has disarmed the deployment again meanwhile, the request is refused with 409",
        }),
        mayPayTwice: z.boolean().default(false).openapi({
          description:
            "Leaves the look-up out: open payouts, transfers and reversals of a restored deployment are sent, although the original may have sent them after the moment of the copy. Without it, such a deployment is not armed as a whole before each connector with some was armed by itself",
        }),
      })
      .default({ originalIsStopped: false, mayPayTwice: false }),
    answer: ok.data("The state", ArmingResponse, toView),
    errors: [404, 409],
    handle: ({ body: { connectorID: connectorId, ...said }, context }) =>
      arm(context, { connectorId, ...said }),
  }),
);

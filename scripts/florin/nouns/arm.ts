import { z } from "zod";
import { textOf } from "#scripts/florin/api/fields.ts";
import { type Call, type Noun, type Outcome, YES } from "#scripts/florin/command.ts";
import { printable } from "#scripts/florin/printable.ts";

/** Whether the deployment calls other servers, as the API shows it. */
export const ArmingState = z.object({
  data: z.object({
    armed: z.boolean(),
    since: z.string().optional(),
    reason: z.string().optional(),
    revision: z.string().optional(),
    bySetting: z.boolean().optional(),
    note: z.string().optional(),
    by: z.object({ subject: z.string() }).optional(),
    connectors: z.array(
      z.object({
        id: z.string(),
        armedAt: z.string(),
        phase: z.string().optional(),
        error: z.string().optional(),
      }),
    ),
  }),
});
type Arming = z.output<typeof ArmingState>["data"];

const SCOPES = ["florin:operate"];

export const noun: Noun = {
  summary: "Lets a deployment call other servers again that was disarmed or restored",
  alone: {
    summary:
      "Arms the deployment, or one connector; for a restored one, asks whether the original is stopped, and looks up its payments",
    options: {
      connector: {
        kind: "text",
        meaning: "the id of the only connector that is armed; everything without it",
      },
      "may-pay-twice": {
        kind: "flag",
        meaning:
          "leaves the look-up of a restored deployment's open payments out, and sends them, although its original may have made them",
      },
      ...YES,
    },
    run: arm,
  },
  verbs: {},
};

async function arm(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const { data: before } = await api.call({
    method: "GET",
    path: "/api/florin/v1/arming",
    answer: ArmingState,
  });
  const isAgain = before.armed && before.connectors.length > 0 && call.flag("may-pay-twice");
  if (before.armed && !isAgain) return { data: before, lines: linesOf(before) };
  if (isAgain) {
    await call.confirm(
      "twice",
      "Look-ups at providers are under way. What the original has paid after the moment of the copy may be paid again.",
    );
  }
  if (before.reason === "restored") {
    await call.confirm(
      "stopped",
      call.flag("may-pay-twice")
        ? "The deployment was restored from another one. If that one still runs, both go on paying; and what it has paid after the moment of the copy is paid again."
        : "The deployment was restored from another one. If that one still runs, both go on paying. What it has paid after the moment of the copy is looked up at the providers, by the references that the copy knows or derives. Payouts that triggers order here for something from before the arming wait for a person, unless the provider shows them. Rules with a schedule, and workflows that clients start again, order with new references, which no provider recognises: disable or check those that start payouts first.",
    );
  }
  const connectorID = call.text("connector");
  const { data } = await api.call({
    method: "POST",
    path: "/api/florin/v1/arm",
    body: {
      ...(connectorID === undefined ? {} : { connectorID }),
      originalIsStopped: before.reason === "restored",
      mayPayTwice: call.flag("may-pay-twice"),
      ...(before.revision === undefined ? {} : { revision: before.revision }),
    },
    answer: ArmingState,
  });
  return { data, lines: linesOf(data) };
}

/** What an operator is told about the state of the deployment. */
export function linesOf(state: Arming): string[] {
  const { armed, since, reason, bySetting = false, note, by, connectors } = state;
  if (armed) {
    return [
      "The deployment is armed: it calls other servers.",
      ...connectors.map((connector) => lineOf(connector)),
    ];
  }
  const setting = bySetting ? ["The setting FLORIN_DISARMED disarms the deployment."] : [];
  if (since === undefined) return setting;
  const why = reason === "restored" ? "because it was restored" : `by ${textOf(by?.subject)}`;
  const noted = note === undefined ? "" : `: ${printable(note)}`;
  return [
    ...setting,
    `The deployment has been disarmed since ${since} ${why}${noted}.`,
    ...connectors.map((connector) => lineOf(connector)),
  ];
}

function lineOf({ id, armedAt, phase, error }: Arming["connectors"][number]): string {
  if (phase !== "looking") return `The connector ${id} has been armed since ${armedAt}.`;
  const trouble = error === undefined ? "" : ` It cannot go on now: ${printable(error)}.`;
  return `Since ${armedAt}, the connector ${id} looks up what the original has paid; its money moves when it has ended.${trouble}`;
}

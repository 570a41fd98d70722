import { readArmingOf } from "./read.ts";
import type { DisarmReason } from "#platform/arming/tables.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { type Problem, sample, type StatusSection } from "#platform/status/section.ts";
import { toMillis } from "#platform/time.ts";

/** Whether the deployment calls other servers. */
export const armingSection: StatusSection = {
  name: "arming",
  description: "Whether the deployment calls other servers, or was disarmed",
  read: async (context) => {
    const { setting, disarmed, connectors } = await readArmingOf(context);
    const problems = [
      ...(setting === undefined ? [] : [problemOfSetting(setting)]),
      ...(disarmed === undefined ? [] : [problemOf(disarmed, connectors.length)]),
    ];
    return { samples: [sample(FAMILIES.disarmed, Number(problems.length > 0), {})], problems };
  },
};

type Disarmed = NonNullable<Awaited<ReturnType<typeof readArmingOf>>["disarmed"]>;

const WAITS = "webhooks, exporters, connectors, workflows, triggers and scheduled rules wait";

const problemOfSetting = (reason: DisarmReason): Problem => ({
  severity: "critical",
  what: "the setting FLORIN_DISARMED disarms the deployment",
  sinceMs: undefined,
  why: `FLORIN_DISARMED is ${reason}: ${WAITS}; ledgers work`,
  whatToDo: `${reason === "restored" ? "run npm run florin -- disarm --restored, so that it stays disarmed" : "when the reason is gone"}, take the setting away, and serve the deployment again; see docs/operations/disarmed.md`,
});

function problemOf({ since, subject, reason, note }: Disarmed, connectors: number): Problem {
  const cause = reason === "restored" ? "it was restored" : `${subject} has disarmed it`;
  const noted = note === "" ? "" : `, noting "${note}"`;
  const armed = connectors === 1 ? "one armed connector" : `${connectors} armed connectors`;
  const but = connectors === 0 ? "" : `, but for ${armed}`;
  return {
    severity: "critical",
    what: "the deployment is disarmed",
    sinceMs: toMillis(since),
    why: `${cause}${noted}: ${WAITS}${but}; ledgers work`,
    whatToDo: `${reason === "restored" ? "make sure that the original is stopped, then " : "when the reason is gone, "}arm it with npm run florin -- arm, or one connector at a time; see docs/operations/disarmed.md`,
  };
}

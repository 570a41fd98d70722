import { readArmingOf } from "./read.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { type Problem, sample, type StatusSection } from "#platform/status/section.ts";
import { toMillis } from "#platform/time.ts";

/** Whether the deployment calls other servers. */
export const armingSection: StatusSection = {
  name: "arming",
  description: "Whether the deployment calls other servers, or was disarmed",
  read: async (context) => {
    const { disarmed, connectors } = await readArmingOf(context);
    return {
      samples: [sample(FAMILIES.disarmed, Number(disarmed !== undefined), {})],
      problems: disarmed === undefined ? [] : [problemOf(disarmed, connectors.length)],
    };
  },
};

type Disarmed = NonNullable<Awaited<ReturnType<typeof readArmingOf>>["disarmed"]>;

function problemOf({ since, subject, reason, note }: Disarmed, connectors: number): Problem {
  const cause = reason === "restored" ? "it was restored" : `${subject} has disarmed it`;
  const noted = note === "" ? "" : `, noting "${note}"`;
  const but = connectors === 0 ? "" : `, but for ${connectors} armed connectors`;
  return {
    severity: "critical",
    what: "the deployment is disarmed",
    sinceMs: toMillis(since),
    why: `${cause}${noted}: webhooks, exporters, connectors, workflows, triggers and scheduled rules wait${but}; ledgers work`,
    whatToDo: `${reason === "restored" ? "make sure that the original is stopped, then " : "when the reason is gone, "}arm it with npm run florin -- arm, or one connector at a time; see docs/operations/disarmed.md`,
  };
}

import { ArmingState, linesOf } from "./arm.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

export const noun: Noun = {
  summary: "Stops everything that leaves a deployment, until it is armed",
  alone: {
    summary:
      "Disarms the deployment: nothing is delivered, fetched or paid any more, and ledgers go on",
    options: {
      note: { kind: "text", meaning: "why, for those who look at the status" },
      restored: {
        kind: "flag",
        meaning:
          "says that the deployment is a copy of another one, which has to be stopped before this one is armed",
      },
    },
    run: disarm,
  },
  verbs: {},
};

async function disarm(call: Call): Promise<Outcome> {
  const api = await call.connect(["florin:operate"]);
  const note = call.text("note");
  const { data } = await api.call({
    method: "POST",
    path: "/api/florin/v1/disarm",
    body: {
      reason: call.flag("restored") ? "restored" : "operator",
      ...(note === undefined ? {} : { note }),
    },
    answer: ArmingState,
  });
  return { data, lines: linesOf(data) };
}

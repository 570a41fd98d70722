import { act } from "#scripts/florin/api/act.ts";
import { type ApiItem, isObject } from "#scripts/florin/api/fields.ts";
import { list } from "#scripts/florin/api/list.ts";
import type { Noun } from "#scripts/florin/command.ts";

const PATH = "/api/florin/v1/sweeps";

export const noun: Noun = {
  summary: "What completes the work that a crash has left undone",
  verbs: {
    list: list({
      summary: "Lists the sweeps with their last runs and failures",
      path: PATH,
      scope: "florin:operate",
      isPaged: false,
      columns: {
        Sweep: "name",
        "Last run": ({ lastRun }) => lastRun ?? "never",
        "Next run": "nextRun",
        "Failures in a row": "failures",
        "Last failure": "lastFailure.error",
      },
      empty: "There are no sweeps.",
    }),
    run: act({
      summary: "Lets a sweep run now",
      parameters: ["name"],
      method: "POST",
      path: `${PATH}/{name}/run`,
      scope: "florin:operate",
      says: (call, data) =>
        `The sweep ${call.parameter("name")} runs at ${isObject(data) ? runTime(data) : "once"}.`,
    }),
  },
};

const runTime = ({ runsAt }: ApiItem): string => String(runsAt);

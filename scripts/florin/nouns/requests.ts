import { byQuery } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

const PATH = "/api/florin/v1/requests/failed";

export const noun: Noun = {
  summary: "Requests that have failed",
  verbs: {
    list: list({
      summary: "Lists failed requests, the last one first",
      path: PATH,
      scope: "florin:operate",
      filters: byQuery(
        "startTime",
        "endTime",
        "status",
        "code",
        "method",
        "route",
        "operation",
        "clientId",
        "subject",
        "requestId",
      ),
      columns: {
        Date: "date",
        Request: "requestId",
        Status: "status",
        Method: "method",
        Path: "path",
        Message: "message",
      },
      empty: "There are no such requests.",
    }),
    show: show({
      summary: "Shows a failed request with its body",
      parameters: ["request"],
      path: `${PATH}/{request}`,
      scope: "florin:operate",
      fields: {
        Request: "requestId",
        Date: "date",
        Status: "status",
        Code: "code",
        Message: "message",
        Method: "method",
        Path: "path",
        Operation: "operation",
        Client: "clientId",
        Subject: "subject",
        Milliseconds: "durationMs",
        Body: "body",
      },
    }),
  },
};

import { byQuery } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import type { Noun } from "#scripts/florin/command.ts";

export const noun: Noun = {
  summary: "Who has changed what",
  verbs: {
    list: list({
      summary: "Lists the entries of the audit, the last one first",
      path: "/api/florin/v1/audit",
      scope: "auth:read",
      filters: byQuery(
        "startTime",
        "endTime",
        "clientId",
        "subject",
        "action",
        "object",
        "requestId",
      ),
      columns: {
        Id: "id",
        Date: "date",
        Action: "action",
        Object: "object",
        Subject: "subject",
        Client: "clientId",
        Note: "note",
      },
      empty: "There are no such entries.",
    }),
  },
};

import type { FilterField } from "#console/parts/filters/filter-text.ts";
import { isDate } from "#console/parts/time/instant.ts";
import { developerWords } from "#console/places/developers/words.ts";

const STATUS = /^[45](?:\d\d|xx)$/;
const STATUSES = ["4xx", "5xx", "400", "401", "404", "409", "429", "503"];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The filters of failed requests, by the names of the API's parameters; `after` and `before` stand for times. */
export function requestFields(): readonly FilterField[] {
  const words = developerWords().requests;
  return [
    {
      id: "status",
      label: words.status,
      example: "4xx, 409",
      choices: STATUSES.map((value) => ({ value, label: value })),
      accepts: (text) => STATUS.test(text),
    },
    { id: "code", label: words.code, example: "INSUFFICIENT_FUND" },
    {
      id: "method",
      label: words.method,
      example: "POST",
      choices: METHODS.map((value) => ({ value, label: value })),
    },
    { id: "operation", label: words.operation, example: "v2CreateTransaction" },
    { id: "clientId", label: words.client, example: "billing" },
    { id: "subject", label: words.subject, example: "billing" },
    { id: "after", label: words.after, example: "2026-11-01", accepts: isDate },
    { id: "before", label: words.before, example: "2026-12-01", accepts: isDate },
    { id: "requestId", label: words.requestId, example: "8c1f6f6e-…" },
  ];
}

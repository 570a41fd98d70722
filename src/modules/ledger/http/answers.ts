import { replayHeaders } from "./requests.ts";
import { COUNTED } from "#modules/ledger/wire/schemas.ts";
import { ok, type Success } from "#platform/http/index.ts";

/** The answer of a write, whose headers say whether the write had been made before. */
export const replayable = <Result extends { readonly isReplay: boolean }>(
  answer: Success<Result>,
): Success<Result> => ({
  ...answer,
  toAnswer: (result) => ({
    ...answer.toAnswer?.(result),
    headers: replayHeaders(result.isReplay),
  }),
});

/** The answer of a write without a body. */
export const written = (description: string): Success<{ readonly isReplay: boolean }> =>
  replayable(ok.empty(description));

/** The answer of a count, whose number is in a header. */
export const counted = (status: number): Success<number> => ({
  status,
  response: COUNTED,
  toAnswer: (count) => ({ headers: { count: `${count}` } }),
});

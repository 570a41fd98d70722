import { expect, test } from "vitest";
import { unknownSettings } from "#scripts/lib/settings/local.ts";

test("a variable that looks like a setting and is none is named, and no other", () => {
  const env = {
    FLORIN_WEBHOOK_TIMEOUTS: "1s",
    FLORIN_LOG: "requests",
    FLORIN_STATE_DIR: "/somewhere",
    FLORIN_URL: "http://127.0.0.1:8787",
    PORT: "0",
    PATH: "/bin",
  };
  expect(unknownSettings(env)).toEqual([
    "FLORIN_WEBHOOK_TIMEOUTS is no setting of Florin and has no effect; docs/settings.md has all.",
  ]);
});

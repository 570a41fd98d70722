import { beforeAll, describe, expect, test } from "vitest";
import { LANGUAGES } from "#test/support/guides/languages.ts";
import { GUIDES } from "#test/support/guides/pages.ts";
import { findRecording, hashOf } from "#test/support/guides/recording.ts";
import { outlineOf, Replay } from "#test/support/guides/replay.ts";
import { sharedServer } from "#test/support/runner/shared-server.ts";

const PROGRAMS = GUIDES.flatMap((guide) => LANGUAGES.map((language) => [guide, language] as const));

let token: string;

beforeAll(async () => {
  token = await sharedServer().token();
});

describe.each(PROGRAMS)("the guide %s in %s", (guide, language) => {
  const recording = findRecording(guide, language);

  test("was recorded as the page has it; `GUIDES_RECORD=1 npm run test:guides` does it anew", () => {
    expect(recording?.program).toBe(hashOf(guide, language));
  });

  test("sends requests that are answered as they were when they were recorded", async () => {
    expect(recording).toBeDefined();
    const replay = new Replay(sharedServer().url, token);
    for (const exchange of recording?.exchanges ?? []) {
      const expected = { status: exchange.status, answer: outlineOf(exchange.answer) };
      const what = `${exchange.method} ${exchange.path}`;
      if (exchange.method === "GET") {
        // The program has waited for what the answer shows, too.
        await expect.poll(() => replay.send(exchange), { message: what }).toEqual(expected);
      } else expect([what, await replay.send(exchange)]).toEqual([what, expected]);
    }
  });
});

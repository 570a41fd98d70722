import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isInstalled, LANGUAGE, LANGUAGES, runProgram } from "#test/support/guides/languages.ts";
import { GUIDES, outputOf, programOf } from "#test/support/guides/pages.ts";
import { RecordingProxy, writeRecording } from "#test/support/guides/recording.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
});

afterAll(async () => {
  await server?.stop();
});

/** Whether the requests of the programs become the recordings that `npm test` replays. */
const IS_RECORDING = process.env["GUIDES_RECORD"] === "1";

const installed = new Map(
  await Promise.all(LANGUAGES.map(async (name) => [name, await isInstalled(name)] as const)),
);

describe.each(LANGUAGES)("in %s", (language) => {
  const isReady = installed.get(language) === true;
  if (!isReady) process.stderr.write(`${language} is left out: ${LANGUAGE[language].remedy}.\n`);

  test.runIf(isReady).each(GUIDES)(
    "the program of the guide %s prints what the guide says",
    async (guide) => {
      const proxy = await RecordingProxy.start(server.url);
      try {
        const folder = mkdtempSync(join(tmpdir(), `florin-guide-${language}-`));
        const serverFile = join(folder, "server.json");
        const { clientId, clientSecret } = server;
        writeFileSync(serverFile, JSON.stringify({ url: proxy.url, clientId, clientSecret }));
        const output = await runProgram(language, programOf(guide, language), {
          folder,
          serverFile,
        });
        expect(output).toBe(outputOf(guide));
        if (IS_RECORDING) writeRecording(guide, language, proxy.exchanges);
      } finally {
        await proxy.stop();
      }
    },
  );
});

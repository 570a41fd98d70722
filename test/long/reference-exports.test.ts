import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectRoundTrip, referenceExport } from "#test/support/ledger-engine/reference-exports.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const EXPORTS = Number(process.env["REFERENCE_EXPORTS"] ?? 1000);
/** A limit several times the duration of the tests on a slow machine. */
const TIMEOUT_MS = 3_600_000;

test(
  "a thousand exports of the reference's rules are imported, verified and exported again byte for byte",
  () => {
    let [odd, entries] = [0, 0];
    fc.assert(
      fc.property(referenceExport, (lines) => {
        odd += expectRoundTrip(lines);
        entries += lines.length;
      }),
      { numRuns: EXPORTS },
    );
    expect(odd).toBeGreaterThan(entries / 10);
  },
  TIMEOUT_MS,
);

test(
  "the started server imports, verifies and exports them byte for byte, and lists what is odd",
  async () => {
    const server = await LocalServer.start(freshFolder());
    const headers = { authorization: `Bearer ${await server.token()}` };
    const send = async (path: string, body = ""): Promise<Response> => {
      const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
      if (response.ok) return response;
      throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
    };
    const verify = async (ledger: string): Promise<unknown> => {
      for (;;) {
        const answer = await send(`/api/florin/v1/ledgers/${ledger}/verify`);
        const { data } = await answer.json<{ data: { status: string } }>();
        if (data.status !== "running") return data;
      }
    };
    let [odd, entries, ledgers] = [0, 0, 0];
    const roundTrip = async (lines: readonly string[]): Promise<void> => {
      const ledger = `export-${++ledgers}`;
      const text = lines.map((line) => `${line}\n`).join("");
      await send(`/api/ledger/v2/${ledger}`);
      const imported = await send(`/api/ledger/v2/${ledger}/logs/import`, text);
      const notes = JSON.parse(imported.headers.get("x-florin-import-notes") ?? '{"count":0}') as {
        count: number;
      }; // the schema of the answer has this shape
      odd += notes.count;
      entries += lines.length;
      const exported = await send(`/api/ledger/v2/${ledger}/logs/export`);
      expect(await exported.text()).toBe(text);
      expect(await verify(ledger)).toMatchObject({ status: "consistent", differences: [] });
    };
    try {
      await fc.assert(fc.asyncProperty(referenceExport, roundTrip), { numRuns: EXPORTS });
      expect(odd).toBeGreaterThan(entries / 10);
    } finally {
      await server.stop();
    }
  },
  TIMEOUT_MS,
);

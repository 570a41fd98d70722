import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressed } from "#platform/http/pages/compressed.ts";

const TEXT = "let many = 'the same words'; ".repeat(100);

const fileOf = (type: string, text = TEXT): Response =>
  new Response(text, {
    headers: { "content-type": type, "content-length": `${text.length}`, etag: '"a"' },
  });

const asking = (accepted?: string): Request =>
  new Request(
    "http://localhost/x.js",
    accepted === undefined ? {} : { headers: { "accept-encoding": accepted } },
  );

test.each(["gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8", "*", "GZIP"])(
  "a script is compressed for a client that accepts '%s'",
  async (accepted) => {
    const answer = compressed(asking(accepted), fileOf("text/javascript; charset=utf-8"));
    expect(Object.fromEntries(answer.headers)).toEqual({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      etag: 'W/"a"',
      vary: "accept-encoding",
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeLessThan(TEXT.length / 10);
    expect(gunzipSync(bytes).toString()).toBe(TEXT);
  },
);

test.each([undefined, "br", "gzip;q=0", "gzip; q=0.00", "identity"])(
  "a script is sent as it is to a client that accepts '%s'",
  async (accepted) => {
    const answer = compressed(asking(accepted), fileOf("text/javascript"));
    expect([answer.headers.get("content-encoding"), answer.headers.get("etag")]).toEqual([
      null,
      '"a"',
    ]);
    expect(answer.headers.get("vary")).toBe("accept-encoding");
    expect(await answer.text()).toBe(TEXT);
  },
);

test("pictures, fonts and small files are sent as they are", () => {
  for (const file of [fileOf("image/png"), fileOf("font/woff2"), fileOf("text/css", "a {}")]) {
    expect(compressed(asking("gzip"), file).headers.has("content-encoding")).toBe(false);
  }
});

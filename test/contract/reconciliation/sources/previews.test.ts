import { describe, expect, test } from "vitest";
import { clientWith } from "#test/support/auth/clients.ts";
import { api } from "#test/support/platform/api.ts";
import { dataOf, failureOf, newLedger, UNKNOWN } from "#test/support/reconciliation/books.ts";
import { newSource, SOURCES } from "#test/support/reconciliation/sources.ts";
import {
  fileOf,
  lineOf,
  MARCH,
  newStatementSource,
  statementsPath,
  upload,
  uploaded,
} from "#test/support/reconciliation/uploads.ts";

describe("who may read statements", () => {
  test("statements need the scopes of reconciliation", async () => {
    const source = await newStatementSource();
    const { id } = await uploaded(source, lineOf(1));
    const { token } = await clientWith({ scopes: ["reconciliation:read"] });
    const path = statementsPath(source);
    for (const read of [path, `${path}/${id}`, `${path}/${id}/lines`, `${path}/${id}/file`]) {
      expect((await api(read, { token })).status).toBe(200);
    }
    expect((await api(path, { method: "POST", body: "x", token })).status).toBe(401);
    expect((await api(`${path}/${id}`, { method: "DELETE", token })).status).toBe(401);
    expect((await api(`${SOURCES}/preview`, { body: { content: "" }, token })).status).toBe(401);
  });

  test("other sources, other statements and other kinds of sources have no statements", async () => {
    const source = await newStatementSource();
    const { id } = await uploaded(source, lineOf(1));
    const other = await newStatementSource();
    expect(await failureOf(await api(`${statementsPath(other)}/${id}`))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    expect(
      await failureOf(await api(`${statementsPath(other)}/${id}`, { method: "DELETE" })),
    ).toEqual([404, "NOT_FOUND"]);
    expect(await failureOf(await api(`${statementsPath(other)}/${id}/file`))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    expect(await failureOf(await upload(UNKNOWN, lineOf(1)))).toEqual([404, "NOT_FOUND"]);
    const accounts = await newSource({ kind: "accounts", ledger: await newLedger(), account: "a" });
    expect(await failureOf(await upload(accounts.id, lineOf(1)))).toEqual([400, "VALIDATION"]);
    expect(await failureOf(await upload(source, lineOf(1), "?overlap=perhaps"))).toEqual([
      400,
      "VALIDATION",
    ]);
  });
});

describe("previews", () => {
  const preview = (content: string | Uint8Array, more: object = {}) =>
    api(`${SOURCES}/preview`, {
      body: { content: Buffer.from(content as string).toString("base64"), ...more },
    });

  test("a preview shows the format, the heads and the first lines, and stores nothing", async () => {
    const amounts = Array.from({ length: 60 }, (_, index) => index + 1);
    const shown = await dataOf<{ lines: object[] }>(await preview(fileOf(MARCH, amounts)));
    expect(shown).toMatchObject({
      formats: ["json-lines"],
      format: "json-lines",
      linesRead: 60,
      heads: [{ name: "S-3", lines: 60 }],
    });
    expect(shown).not.toHaveProperty("refusal");
    expect(shown.lines).toHaveLength(50);
    expect(shown.lines[0]).toMatchObject({ amount: 1, date: "2026-03-01", fileLine: 2 });
  });

  test("a preview says why a file would be refused, and where", async () => {
    const mapping = {
      delimiter: ";",
      dateFormat: "DD.MM.YYYY",
      decimalSign: ",",
      amount: { by: "amount", amount: 2 },
      asset: "EUR",
      columns: { date: 1 },
    };
    const rows = Array.from({ length: 100 }, () => "05.01.2026;1,00;a\n").join("");
    const table = `Tag;Betrag;Text\n${rows}2026-01-06;2,00;b\n`;
    const unmapped = await dataOf(await preview(table));
    expect(unmapped).toMatchObject({ formats: ["csv"], refusal: { kind: "MAPPING" }, lines: [] });
    const mapped = await dataOf(await preview(table, { mapping }));
    expect(mapped).toMatchObject({
      format: "csv",
      refusal: { kind: "DATE", line: 102, column: 1, byte: 1816 },
    });
  });

  test("the end of a beginning is no error", async () => {
    const beginning =
      Array.from({ length: 400 }, (_, index) => lineOf(index)).join("") + '{"date":"20';
    const shown = await dataOf(await preview(beginning, { isPartial: true }));
    expect(shown).toMatchObject({ format: "json-lines", heads: [] });
    expect(shown).not.toHaveProperty("refusal");
    expect(shown["linesRead"]).toBeGreaterThan(300);
    expect(await dataOf(await preview(beginning))).toMatchObject({
      refusal: { kind: "SYNTAX", line: 401 },
    });
  });

  test.each([
    ["no base64", { content: "?" }],
    ["too long a content", { content: "A".repeat(400_000) }],
    ["an unknown format", { content: "", format: "pdf" }],
    ["an unknown member", { content: "", colour: 1 }],
  ])("a preview with %s is refused", async (_, body) => {
    expect(await failureOf(await api(`${SOURCES}/preview`, { body }))).toEqual([400, "VALIDATION"]);
  });
});

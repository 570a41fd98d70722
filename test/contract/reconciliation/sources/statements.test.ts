import { describe, expect, test } from "vitest";
import { api, bodyOf } from "#test/support/platform/api.ts";
import { failureOf, pageOf } from "#test/support/reconciliation/books.ts";
import { collect } from "#test/support/reconciliation/sources.ts";
import {
  fileOf,
  lineOf,
  MARCH,
  newStatementSource,
  statement,
  statementsPath,
  upload,
  uploaded,
} from "#test/support/reconciliation/uploads.ts";

interface RefusalDetails {
  readonly statementID: string;
  readonly kind?: string;
}

/** The details of a refused upload. */
async function detailsOf(response: Response): Promise<RefusalDetails> {
  const { details } = (await bodyOf(response)) as { details: string }; // refusals have this shape
  return JSON.parse(details) as RefusalDetails;
}

describe("uploads", () => {
  test("a file is read, and shown with heads, lines and its bytes", async () => {
    const source = await newStatementSource();
    const file = fileOf({ ...MARCH, opening: 100, closing: 175 }, [50, -25, 50]);
    const made = await uploaded(source, file, "?filename=march.jsonl");
    expect(made).toMatchObject({
      sourceID: source,
      state: "ready",
      fileName: "march.jsonl",
      format: "json-lines",
      bytes: file.length,
      lines: 3,
      pending: 0,
      uploadedBy: "test-client",
      heads: [
        {
          name: "S-3",
          account: "DE02 1203",
          asset: "EUR/2",
          from: "2026-03-01",
          to: "2026-03-31",
          opening: 100,
          closing: 175,
          lines: 3,
          totals: { "EUR/2": 75 },
          balanced: true,
        },
      ],
    });
    expect(made.heads[0]).not.toHaveProperty("gap");
    expect(await statement(source, made.id)).toEqual(made);
    expect((await pageOf(await api(statementsPath(source)))).data).toEqual([made]);
    const first = await pageOf(await api(`${statementsPath(source)}/${made.id}/lines?pageSize=2`));
    expect(first.data).toMatchObject([
      {
        statementID: made.id,
        date: "2026-03-01",
        amount: 50,
        asset: "EUR/2",
        texts: { endToEndId: "E2E-0" },
        fileLine: 2,
      },
      { amount: -25, fileLine: 3 },
    ]);
    const second = await pageOf(
      await api(`${statementsPath(source)}/${made.id}/lines?cursor=${first.next}`),
    );
    expect(second).toMatchObject({ hasMore: false, data: [{ amount: 50, fileLine: 4 }] });
    const back = await pageOf(
      await api(
        `${statementsPath(source)}/${made.id}/lines?cursor=${(second as unknown as { previous: string }).previous}`,
      ),
    );
    expect(back.data).toEqual(first.data);
    const bytes = await api(`${statementsPath(source)}/${made.id}/file`);
    expect([bytes.status, await bytes.text()]).toEqual([200, file]);
  });

  test("the lines of ready files are collected in their order, and later ones follow", async () => {
    const source = await newStatementSource();
    const a = await uploaded(source, fileOf({ ...MARCH, id: "a" }, [1, 2, 3]));
    await uploaded(
      source,
      lineOf("36893488147419103232", {
        fee: "-9007199254740993",
        name: "Anna",
        account: "DE1",
        category: "SEPA",
        valueDate: "2026-01-07",
      }),
    );
    const first = await collect(source, { limit: 2 });
    expect(first).toMatchObject({ isLast: false, lines: [{ amount: 1n }, { amount: 2n }] });
    const rest = await collect(source, { after: first.position });
    expect(rest.isLast).toBe(true);
    expect(rest.lines[0]).toMatchObject({
      amount: 3n,
      evidence: { statementID: a.id, fileLine: 4 },
    });
    expect(rest.lines[1]).toMatchObject({
      day: 20_458,
      amount: 2n ** 65n,
      fee: -9_007_199_254_740_993n,
      texts: { counterpartyName: "Anna", counterpartyAccount: "DE1" },
      evidence: { category: "SEPA", valueDate: "2026-01-07" },
    });
    expect(new Set([...first.lines, ...rest.lines].map(({ sourceId }) => sourceId)).size).toBe(4);
    await uploaded(source, lineOf(7, { date: "2026-01-06" }));
    const later = await collect(source, { after: rest.position });
    expect(later.lines.map(({ amount }) => amount)).toEqual([7n]);
    expect((await collect(source, { from: 20_500 })).lines.map(({ amount }) => amount)).toEqual([
      1n,
      2n,
      3n,
    ]);
  });

  test("the same file is taken once, one after the other and at the same time", async () => {
    const source = await newStatementSource();
    const { id } = await uploaded(source, lineOf(1));
    const again = await upload(source, lineOf(1));
    expect(again.status).toBe(409);
    expect(await detailsOf(again)).toEqual({ statementID: id });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => upload(source, lineOf(2, { date: "2026-01-06" }))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409,
    ]);
    const { lines } = await collect(source);
    expect(lines.map(({ amount }) => amount)).toEqual([1n, 2n]);
  });

  test("a statement of the same account and name is refused, and the refusal is kept", async () => {
    const source = await newStatementSource();
    const { id } = await uploaded(source, fileOf(MARCH, [1]));
    const other = await upload(
      source,
      fileOf({ ...MARCH, account: "DE021203" }, [2]),
      "?overlap=allow",
    );
    expect(other.status).toBe(409);
    const { statementID, kind } = await detailsOf(other);
    expect(kind).toBe("EXISTS");
    const kept = await statement(source, statementID);
    expect(kept).toMatchObject({ state: "refused", lines: 0, heads: [] });
    expect(kept.refusal?.message).toContain(id);
  });

  test("overlapping statements are refused unless that is allowed, and those that follow each other are not", async () => {
    const source = await newStatementSource();
    const { id } = await uploaded(source, fileOf({ ...MARCH, opening: 0, closing: 5 }, [5]));
    const head = { account: MARCH.account, from: "2026-03-31", to: "2026-04-30" };
    const overlapping = fileOf({ ...head, id: "x", opening: 4, closing: 6 }, [2]);
    const refused = await upload(source, overlapping);
    expect(await failureOf(refused.clone())).toEqual([400, "STATEMENT_REFUSED"]);
    expect((await refused.json<{ errorMessage: string }>()).errorMessage).toContain(
      `the statement ${id}, which goes from 2026-03-01 to 2026-03-31`,
    );
    // It closes on the day on which this one opens, with the same balance.
    const following = await uploaded(
      source,
      fileOf({ ...head, id: "y", opening: 5, closing: 7 }, [2]),
    );
    expect(following.heads[0]).not.toHaveProperty("gap");
    await uploaded(source, fileOf({ ...head, id: "z", account: "another" }, [2]));
    expect(await uploaded(source, overlapping, "?overlap=allow")).toMatchObject({ state: "ready" });
    const within =
      fileOf({ id: "p", account: "q", from: "2026-01-01", to: "2026-01-31" }) +
      fileOf({ id: "r", account: "q", from: "2026-01-31", to: "2026-02-10" });
    expect(await detailsOf(await upload(source, within))).toMatchObject({ kind: "OVERLAP" });
  });

  test("a gap between two statements is told, whichever came first, and goes with the missing one", async () => {
    const source = await newStatementSource();
    const day = (id: string, opening: number, closing: number) =>
      fileOf({ id, account: "A", from: `2026-03-0${id}`, to: `2026-03-0${id}`, opening, closing }, [
        closing - opening,
      ]);
    const third = await uploaded(source, day("3", 30, 40));
    const first = await uploaded(source, day("1", 10, 20));
    const gapOf = async () => (await statement(source, third.id)).heads[0]?.["gap"];
    expect(await gapOf()).toEqual({ statementID: first.id, closing: 20 });
    await uploaded(source, day("2", 20, 30));
    expect(await gapOf()).toBeUndefined();
  });

  test.each([
    ["empty", "", "EMPTY"],
    ["blank", " \n\n", "EMPTY"],
    ["a zip archive", "PK\u0003\u0004aaaaaaaaaaaaaaaaaa", "COMPRESSED"],
    ["of no known format", "<html>hello</html>", "UNSUPPORTED"],
    ["truncated", `${lineOf(1)}{"date":"2026-01-05","amo`, "SYNTAX"],
    ["of an unknown currency", lineOf(1, { asset: "ZZZ" }), "CURRENCY"],
    ["not in balance", fileOf({ ...MARCH, opening: 0, closing: 1 }, [2]), "BALANCE"],
    ["with a day that does not exist", lineOf(1, { date: "2026-02-30" }), "DATE"],
    ["with dates in another form", lineOf(1, { date: "05.01.2026" }), "DATE"],
  ])(
    "a file that is %s is refused with its place, and leaves no line",
    async (_, content, kind) => {
      const source = await newStatementSource();
      const refused = await upload(source, content);
      expect(await failureOf(refused.clone())).toEqual([400, "STATEMENT_REFUSED"]);
      const { statementID, ...details } = await detailsOf(refused);
      expect(details).toMatchObject({
        kind,
        line: expect.any(Number) as number,
        byte: expect.any(Number) as number,
      });
      const kept = await statement(source, statementID);
      expect(kept).toMatchObject({ state: "refused", refusal: details });
      expect((await collect(source)).lines).toEqual([]);
      const file = await api(`${statementsPath(source)}/${kept.id}/file`);
      expect(await failureOf(file)).toEqual([404, "NOT_FOUND"]);
      // A refusal does not keep the corrected file away, nor the same one.
      expect((await upload(source, content)).status).toBe(400);
    },
  );

  test("bytes in another encoding, declared entities and another account are refused", async () => {
    const utf8 = await newStatementSource();
    const latin = new Uint8Array([
      ...new TextEncoder().encode('{"date":"2026-01-05","amount":1,"asset":"EUR/2","text":"'),
      0xfc,
      0x22,
      0x7d,
    ]);
    expect(await detailsOf(await upload(utf8, latin))).toMatchObject({ kind: "ENCODING" });
    const windows = await newStatementSource({ encoding: "windows-1252" });
    const read = await uploaded(windows, latin);
    const lines = await pageOf(await api(`${statementsPath(windows)}/${read.id}/lines`));
    expect(lines.data).toMatchObject([{ texts: { text: "ü" } }]);
    const bomb = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa">]><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">&a;</Document>`;
    expect(await detailsOf(await upload(utf8, bomb))).toMatchObject({ kind: "FORBIDDEN" });
    const own = await newStatementSource({ account: "DE02-1203" });
    await uploaded(own, fileOf(MARCH, [1]));
    expect(
      await detailsOf(await upload(own, fileOf({ ...MARCH, id: "o", account: "DE99" }))),
    ).toMatchObject({ kind: "ACCOUNT" });
  });

  test("a currency without known decimals is read with those of the source", async () => {
    const source = await newStatementSource({
      format: "csv",
      decimals: { ZZZ: 3 },
      mapping: {
        delimiter: ",",
        dateFormat: "YYYY-MM-DD",
        decimalSign: ".",
        amount: { by: "amount", amount: "amount" },
        columns: { date: "date", currency: "currency" },
      },
    });
    const { id } = await uploaded(source, "date,amount,currency\n2026-01-05,1.234,ZZZ\n");
    const { data } = await pageOf(await api(`${statementsPath(source)}/${id}/lines`));
    expect(data).toMatchObject([{ amount: 1234, asset: "ZZZ/3" }]);
  });

  test("a file that is too large is refused before it is read, and while it is read", async () => {
    const source = await newStatementSource();
    const declared = await api(statementsPath(source), {
      method: "POST",
      headers: { "content-length": `${60 * 1024 * 1024}` },
      body: "x",
    });
    expect(await failureOf(declared)).toEqual([413, "VALIDATION"]);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 4 * 1024 * 1024;
        controller.enqueue(new Uint8Array(4 * 1024 * 1024).fill(0x20));
        if (sent > 200 * 1024 * 1024) controller.close();
      },
    });
    expect(await failureOf(await upload(source, endless))).toEqual([413, "VALIDATION"]);
    expect((await pageOf(await api(statementsPath(source)))).data).toEqual([]);
  });
});

describe("deletions of statements", () => {
  test("a deleted statement takes its lines, its heads and its content along", async () => {
    const source = await newStatementSource();
    const file = fileOf(MARCH, [1, 2]);
    const { id } = await uploaded(source, file);
    await uploaded(source, lineOf(3));
    const path = `${statementsPath(source)}/${id}`;
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    for (const method of ["GET", "DELETE"]) {
      expect(await failureOf(await api(path, { method }))).toEqual([404, "NOT_FOUND"]);
    }
    expect((await collect(source)).lines.map(({ amount }) => amount)).toEqual([3n]);
    expect((await uploaded(source, file)).id).not.toBe(id);
    const { lines } = await collect(source);
    expect(lines.map(({ amount }) => amount)).toEqual([3n, 1n, 2n]);
  });

  test("a refused statement is deleted, too", async () => {
    const source = await newStatementSource();
    const { statementID } = await detailsOf(await upload(source, "x"));
    expect(
      (await api(`${statementsPath(source)}/${statementID}`, { method: "DELETE" })).status,
    ).toBe(204);
    expect((await pageOf(await api(statementsPath(source)))).data).toEqual([]);
  });
});

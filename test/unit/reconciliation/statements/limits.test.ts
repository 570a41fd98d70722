import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  detectFormat,
  FILE_BYTES_MAX,
  readStatement,
  StatementError,
  type StatementFormat,
} from "#modules/reconciliation/core/statements/index.ts";
import { DECIMALS, readAll } from "#test/support/reconciliation/statements.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function errorOf(format: StatementFormat, text: string | Uint8Array) {
  const bytes = typeof text === "string" ? bytesOf(text) : text;
  const { error } = await readAll(format, { bytes, options: DECIMALS });
  return error === undefined
    ? undefined
    : { kind: error.kind, line: error.line, column: error.column, message: error.message };
}

const DOCUMENT = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>`;

describe("limits of statements", () => {
  it("counts the bytes of a file while it streams, and stops", async () => {
    let sent = 0;
    async function* chunks() {
      const line = bytesOf(`${" ".repeat(65_535)}\n`);
      for (; ; sent += line.byteLength) yield await Promise.resolve(line);
    }
    const events = readStatement("mt940", DECIMALS, chunks());
    await expect(events.next()).rejects.toMatchObject({ kind: "LIMIT", byte: FILE_BYTES_MAX });
    expect(sent).toBeLessThanOrEqual(FILE_BYTES_MAX + 65_536);
  });

  it("passes on the errors of its source", async () => {
    async function* chunks() {
      yield await Promise.resolve(bytesOf(":20:A\n"));
      throw new Error("the connection broke");
    }
    await expect(readStatement("mt940", DECIMALS, chunks()).next()).rejects.toThrow(
      "the connection broke",
    );
  });

  it("ends its source when it stops, for whatever reason", async () => {
    const stops = async (format: StatementFormat, text: string): Promise<boolean> => {
      let isEnded = false;
      async function* chunks() {
        try {
          for (;;) yield await Promise.resolve(bytesOf(text.padEnd(2000)));
        } finally {
          isEnded = true;
        }
      }
      try {
        for await (const { type } of readStatement(format, DECIMALS, chunks()))
          if (type === "head") break;
      } catch (error) {
        expect(error).toBeInstanceOf(StatementError);
      }
      return isEnded;
    };
    expect(await stops("mt940", ":20:A\n:25:1\n:28C:1\n:60F:C260105EUR1,\n")).toBe(true);
    expect(await stops("mt940", "neither a field nor a header\n")).toBe(true);
    expect(await stops("camt.053", "%PDF-1.7")).toBe(true);
  });

  it("takes no longer for texts that are made to be slow", async () => {
    const info = `:86:/REMI/${"/".repeat(8000)}x\n`;
    const slow = `:20:A\n:25:1\n:28C:1\n:60F:C260105EUR1,\n${`:61:260105C1,NTRFx\n${info}`.repeat(100)}`;
    expect(await errorOf("mt940", slow)).toMatchObject({ kind: "MISSING" });
    expect(await errorOf("stripe-balance", `a,"${"\n".repeat(60_000)}x"\n`)).toMatchObject({
      kind: "MISSING",
    });
    expect(detectFormat(bytesOf("{1: ".repeat(1024)))).toEqual([]);
  }, 5000);

  it("refuses a line that is too long", async () => {
    expect(await errorOf("mt940", `:20:A\n:25:${"1".repeat(70_000)}`)).toEqual({
      kind: "LIMIT",
      line: 2,
      column: 1,
      message: "A line of the file is longer than 65536 characters.",
    });
  });

  it("refuses a field that is too long", async () => {
    expect(await errorOf("mt940", `:20:A\n:86:${`${"x".repeat(65)}\n`.repeat(200)}`)).toMatchObject(
      {
        kind: "LIMIT",
        message: "A field is longer than 8192 characters.",
      },
    );
  });

  it("refuses elements that are nested too deep, as XML and as SGML", async () => {
    const deep = "<a>".repeat(60);
    expect(await errorOf("camt.053", DOCUMENT + deep)).toMatchObject({
      kind: "LIMIT",
      message: "Elements are nested deeper than 40 levels.",
    });
    expect(await errorOf("ofx", `<OFX>${deep}`)).toMatchObject({
      kind: "LIMIT",
      line: 1,
      column: 123,
    });
  });

  it("refuses an element with too many attributes", async () => {
    const attributes = Array.from({ length: 30 }, (_, i) => `a${i}="1"`).join(" ");
    expect(await errorOf("camt.053", `${DOCUMENT}<Acct ${attributes}/>`)).toMatchObject({
      kind: "LIMIT",
    });
  });

  it("refuses a text, a comment and a tag that do not end", async () => {
    const endless = "x".repeat(300_000);
    for (const text of [`<Id>${endless}`, `<!-- ${endless}`, `<Id a="${endless}`])
      expect(await errorOf("camt.053", DOCUMENT + text)).toMatchObject({ kind: "LIMIT" });
    expect(await errorOf("ofx", `<OFX><MEMO>${endless}`)).toMatchObject({ kind: "LIMIT" });
    expect(await errorOf("stripe-balance", `"${endless}\n${endless}`)).toMatchObject({
      kind: "LIMIT",
    });
  });

  it("refuses a quoted field of many lines that does not end", async () => {
    expect(await errorOf("stripe-balance", `a,b\n1,"${"x\n".repeat(50_000)}`)).toEqual({
      kind: "LIMIT",
      line: 2,
      column: 1,
      message: "A record with a quoted field is longer than 65536 characters.",
    });
  });

  it("refuses document types and entities", async () => {
    const declared = `<?xml version="1.0"?>\n<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">]>\n${DOCUMENT}`;
    expect(await errorOf("camt.053", declared)).toMatchObject({
      kind: "FORBIDDEN",
      line: 2,
      column: 1,
    });
    expect(await errorOf("camt.053", `${DOCUMENT}<Id>&lol;</Id>`)).toMatchObject({
      kind: "FORBIDDEN",
    });
    expect(await errorOf("ofx", `<OFX><!ENTITY a "b">`)).toMatchObject({
      kind: "FORBIDDEN",
      column: 6,
    });
  });

  it("reads files that are larger than a piece, in one chunk and in many", async () => {
    const balance = (code: string): string =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
    const entry = (side: string): string =>
      `<Ntry><Amt Ccy="EUR">2.00</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-05</Dt></BookgDt></Ntry>\n`;
    const text =
      `${DOCUMENT}<Id>1</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct>${balance("OPBD")}${balance("CLBD")}` +
      `${(entry("CRDT") + entry("DBIT")).repeat(1500)}</Stmt></BkToCstmrStmt></Document>`;
    for (const chunkSize of [text.length, 70_000, 1000]) {
      const bytes = bytesOf(text);
      const { events } = await readAll("camt.053", { bytes, options: DECIMALS, chunkSize });
      expect(events?.at(-1)).toMatchObject({ end: { lines: 3000, balanced: true } });
    }
  });

  it("divides an entry into so many details only", async () => {
    const balance = (code: string): string =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">0</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
    const text = (details: number): string =>
      `${DOCUMENT}<Id>1</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct>${balance("OPBD")}${balance("CLBD")}` +
      `<Ntry><Amt Ccy="EUR">0</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-05</Dt></BookgDt><NtryDtls>` +
      `${`<TxDtls><Refs/><AmtDtls><TxAmt><Amt Ccy="EUR">0</Amt></TxAmt></AmtDtls></TxDtls>\n`.repeat(details)}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
    const { events } = await readAll("camt.053", {
      bytes: bytesOf(text(20_000)),
      options: DECIMALS,
    });
    expect(events?.at(-1)).toMatchObject({ end: { lines: 20_000 } });
    expect(await errorOf("camt.053", text(20_001))).toMatchObject({ kind: "LIMIT", line: 20_001 });
  });

  it("cuts texts and sources that are too long for a line", async () => {
    const text = `{"date":"2026-01-05","amount":1,"asset":"EUR/2","text":"${"x".repeat(8000)}"}`;
    const { events } = await readAll("json-lines", { bytes: bytesOf(text), options: DECIMALS });
    const line = events?.flatMap((event) => (event.type === "line" ? [event.line] : []))[0];
    expect([line?.references.text?.length, line?.raw.length]).toEqual([4000, 4000]);
  });
});

describe("decimals of currencies", () => {
  const decimalsOfQqq = async (decimals: Readonly<Record<string, number>>) => {
    const bytes = bytesOf('{"date":"2026-01-05","amount":1,"asset":"QQQ"}');
    const { events, error } = await readAll("json-lines", {
      bytes,
      options: { ...DECIMALS, decimals },
    });
    return (
      error?.kind ?? events?.flatMap((event) => (event.type === "line" ? [event.line.asset] : []))
    );
  };

  it("come from the options before the table of the caller, and must be there", async () => {
    expect(await decimalsOfQqq({})).toBe("CURRENCY");
    expect(await decimalsOfQqq({ QQQ: 5 })).toEqual(["QQQ/5"]);
    expect(await decimalsOfQqq({ QQQ: 0 })).toEqual(["QQQ"]);
    for (const bad of [-1, 1.5, 31]) expect(await decimalsOfQqq({ QQQ: bad })).toBe("CURRENCY");
  });
});

describe("files that are no statements", () => {
  it("says that a file is empty", async () => {
    for (const file of ["", " \r\n\t", "\u{FEFF}\n"])
      expect(await errorOf("camt.053", file)).toMatchObject({ kind: "EMPTY", line: 1, column: 1 });
  });

  it("says of which kind an archive or document is", async () => {
    const zip = Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0);
    expect(await errorOf("camt.053", gzipSync("<Document/>"))).toMatchObject({
      kind: "COMPRESSED",
      message: "The file is a gzip archive: unpack it, and send the statement that is in it.",
    });
    expect(await errorOf("bai2", zip)).toMatchObject({ kind: "COMPRESSED" });
    expect(await errorOf("mt940", "%PDF-1.7\n")).toMatchObject({ kind: "UNSUPPORTED" });
  });

  it("finds bytes that are no character where they stand, also when a chunk cuts a character", async () => {
    const file = Uint8Array.of(...bytesOf(":20:ü\n:25:€"), 0xff, 0x31);
    for (const chunkSize of [1, 2, 3, 100]) {
      const { error } = await readAll("mt940", { bytes: file, options: DECIMALS, chunkSize });
      expect(error).toMatchObject({ kind: "ENCODING", line: 2, column: 6, byte: 14 });
    }
    const cut = bytesOf(":20:€").subarray(0, 6);
    expect(await errorOf("mt940", cut)).toMatchObject({ kind: "ENCODING", line: 1, column: 5 });
  });

  it("refuses an encoding that it does not know or that the mark contradicts", async () => {
    expect(
      await errorOf("camt.053", `<?xml version="1.0" encoding="EBCDIC-US"?><a/>`),
    ).toMatchObject({
      kind: "ENCODING",
      line: 1,
      column: 31,
    });
    expect(await errorOf("camt.053", `<?xml version="1.0" encoding="UTF-16"?><a/>`)).toMatchObject({
      kind: "ENCODING",
    });
    expect(
      await errorOf("camt.053", `\u{FEFF}<?xml version="1.0" encoding="ISO-8859-1"?><a/>`),
    ).toMatchObject({
      kind: "ENCODING",
    });
  });

  it("refuses a text outside of messages", async () => {
    expect(await errorOf("mt940", "Dear customer,\n:20:A\n")).toMatchObject({
      kind: "SYNTAX",
      line: 1,
    });
  });

  it("has errors that are told from others by their class", async () => {
    const { error } = await readAll("bai2", { bytes: bytesOf("x"), options: DECIMALS });
    expect(error).toBeInstanceOf(StatementError);
  });
});

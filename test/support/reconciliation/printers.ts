import type { CsvMapping, StatementFormat } from "#modules/reconciliation/core/statements/index.ts";

/** A movement for files that are printed. */
export interface PrintedLine {
  readonly date: string;
  readonly amount: bigint;
  readonly reference: string;
  readonly text: string;
}

export interface PrintedStatement {
  readonly opening: bigint;
  readonly lines: readonly PrintedLine[];
}

/** The currency of printed files, with two decimals. */
export const PRINTED_ASSET = "EUR/2";

export const PRINTED_MAPPING: CsvMapping = {
  delimiter: ";",
  dateFormat: "DD.MM.YYYY",
  decimalSign: ",",
  thousandsSign: ".",
  asset: "EUR",
  amount: { by: "word", amount: "Amount", word: "Side", credit: ["H"], debit: ["S"] },
  columns: { date: "Date", providerId: "Reference", text: ["Text"], balance: "Balance" },
};

const units = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
const closingOf = ({ opening, lines }: PrintedStatement): bigint =>
  lines.reduce((sum, { amount }) => sum + amount, opening);

/** An amount without its sign: `1234.50`, with another decimal sign if asked. */
function plain(amount: bigint, sign = "."): string {
  const digits = units(amount).toString().padStart(3, "0");
  return `${digits.slice(0, -2)}${sign}${digits.slice(-2)}`;
}

const grouped = (amount: bigint): string =>
  plain(amount, ",").replaceAll(/\B(?=(?:\d{3})+,)/g, ".");
const signed = (amount: bigint): string => `${amount < 0n ? "-" : ""}${plain(amount)}`;
const compact = (date: string): string => date.replaceAll("-", "");

/** Prints a statement in each format that has a line's reference and text. */
export const PRINTERS: Readonly<
  Partial<Record<StatementFormat, (statement: PrintedStatement) => string>>
> = {
  "camt.053": printCamt,
  mt940: printMt940,
  bai2: printBai2,
  ofx: printOfx,
  csv: printCsv,
  "json-lines": printJsonLines,
  "stripe-balance": printStripe,
  "adyen-settlement": printAdyen,
};

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function printCamt(statement: PrintedStatement): string {
  const side = (amount: bigint): string => (amount < 0n ? "DBIT" : "CRDT");
  const balance = (code: string, amount: bigint): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${plain(amount)}</Amt><CdtDbtInd>${side(amount)}</CdtDbtInd></Bal>`;
  const entries = statement.lines.map(
    ({ date, amount, reference, text }) =>
      `<Ntry><Amt Ccy="EUR">${plain(amount)}</Amt><CdtDbtInd>${side(amount)}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${date}</Dt></BookgDt>` +
      `<AcctSvcrRef>${escapeXml(reference)}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf><Ustrd>${escapeXml(text)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
  );
  return (
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct>` +
    `${balance("OPBD", statement.opening)}${balance("CLBD", closingOf(statement))}\n${entries.join("\n")}</Stmt></BkToCstmrStmt></Document>`
  );
}

function printMt940(statement: PrintedStatement): string {
  const side = (amount: bigint): string => (amount < 0n ? "D" : "C");
  const entries = statement.lines.map(
    ({ date, amount, reference, text }) =>
      `:61:${compact(date).slice(2)}${compact(date).slice(4)}${side(amount)}R${plain(amount, ",")}NTRFNONREF//${reference}\n:86:${text}\n`,
  );
  const closing = closingOf(statement);
  return (
    `:20:A\n:25:1\n:28C:1/1\n:60F:${side(statement.opening)}260101EUR${plain(statement.opening, ",")}\n` +
    `${entries.join("")}:62F:${side(closing)}260131EUR${plain(closing, ",")}\n-\n`
  );
}

function printBai2(statement: PrintedStatement): string {
  const details = statement.lines.map(
    ({ amount, reference, text }) =>
      `16,${amount < 0n ? "475" : "195"},${units(amount)},,${reference},,${text}/\n`,
  );
  const closing = closingOf(statement);
  const control = statement.lines.reduce(
    (sum, { amount }) => sum + units(amount),
    statement.opening + closing,
  );
  const records = statement.lines.length;
  return (
    `01,S,R,260105,,1,,,2/\n02,R,S,1,260105,,EUR,2/\n03,1,,010,${statement.opening},,,015,${closing},,/\n${details.join("")}` +
    `49,${control},${records + 2}/\n98,${control},1,${records + 4}/\n99,${control},1,${records + 6}/\n`
  );
}

function printOfx(statement: PrintedStatement): string {
  const transactions = statement.lines.map(
    ({ date, amount, reference, text }) =>
      `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${compact(date)}<TRNAMT>${signed(amount)}<FITID>${reference}<MEMO>${escapeXml(text)}</STMTTRN>\n`,
  );
  return (
    `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>\n` +
    `${transactions.join("")}</BANKTRANLIST><LEDGERBAL><BALAMT>${signed(closingOf(statement))}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
  );
}

const quoteCsv = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function printCsv({ opening, lines }: PrintedStatement): string {
  let balance = opening;
  const rows = lines.map(({ date, amount, reference, text }) => {
    balance += amount;
    const [year, month, day] = date.split("-");
    const stated = `${balance < 0n ? "-" : ""}${grouped(balance)}`;
    return `${day}.${month}.${year};${grouped(amount)};${amount < 0n ? "S" : "H"};${reference};${quoteCsv(text)};${stated}\r\n`;
  });
  return `Date;Amount;Side;Reference;Text;Balance\r\n${rows.join("")}`;
}

function printJsonLines(statement: PrintedStatement): string {
  const head = `{"statement":{"asset":"EUR/2","opening":${statement.opening},"closing":${closingOf(statement)}}}`;
  const lines = statement.lines.map(
    ({ date, amount, reference, text }) =>
      `{"date":"${date}","amount":${amount},"providerId":"${reference}","text":${JSON.stringify(text)}}`,
  );
  return [head, ...lines].join("\n");
}

function printStripe({ lines }: PrintedStatement): string {
  const rows = lines.map(
    ({ date, amount, reference, text }) =>
      `txn,${date} 10:00:00,eur,${signed(amount + 7n)},0.07,${signed(amount)},charge,${reference},${quoteCsv(text)}\n`,
  );
  return `balance_transaction_id,created,currency,gross,fee,net,reporting_category,source_id,description\n${rows.join("")}`;
}

function printAdyen({ lines }: PrintedStatement): string {
  const header =
    "Merchant Account,Psp Reference,Type,Creation Date,Gross Currency,Gross Debit (GC),Gross Credit (GC),Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Batch Number,Payment Method\n";
  const sides = (amount: bigint): string =>
    amount < 0n ? `${plain(amount)},` : `,${plain(amount)}`;
  const rows = lines.map(
    ({ date, amount, reference, text }) =>
      `Shop,${reference},Settled,${date} 10:00:00,EUR,${sides(amount + 7n)},EUR,${sides(amount)},0.07,1,${quoteCsv(text)}\n`,
  );
  return header + rows.join("");
}

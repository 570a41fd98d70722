import { decimalOf } from "./money.ts";

/** A booked entry of a bank account. */
export interface BankEntry {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** In cents: positive for what the account received. */
  readonly amount: bigint;
  /** The end-to-end id. */
  readonly reference: string;
  /** The name of the other party. */
  readonly name: string;
  readonly text: string;
}

export interface BankStatement {
  readonly id: string;
  /** An IBAN. */
  readonly account: string;
  readonly currency: string;
  /** The first and the last day, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** In cents. */
  readonly opening: bigint;
  readonly entries: readonly BankEntry[];
}

/** The balance at the end of a statement, in cents. */
export const closingOf = ({ opening, entries }: BankStatement): bigint =>
  entries.reduce((sum, { amount }) => sum + amount, opening);

/** Writes a statement as a bank sends it, in ISO 20022's message camt.053.001.08 (BankToCustomerStatement). */
export function camt053(statement: BankStatement): string {
  const { id, account, currency, from, to, opening, entries } = statement;
  const made = `${to}T21:00:00Z`;
  const statementElement = element(
    "Stmt",
    text("Id", id),
    text("CreDtTm", made),
    element("FrToDt", text("FrDtTm", `${from}T00:00:00Z`), text("ToDtTm", `${to}T23:59:59Z`)),
    element("Acct", element("Id", text("IBAN", account)), text("Ccy", currency)),
    balance("OPBD", { amount: opening, currency, day: from }),
    balance("CLBD", { amount: closingOf(statement), currency, day: to }),
    ...entries.map((entry, index) => entryOf(entry, { currency, servicer: `${id}-${index + 1}` })),
  );
  const header = element("GrpHdr", text("MsgId", `MSG-${id}`), text("CreDtTm", made));
  const document = element("BkToCstmrStmt", header, statementElement);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">${document}</Document>\n`;
}

const NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08";

interface Balance {
  readonly amount: bigint;
  readonly currency: string;
  readonly day: string;
}

const balance = (code: string, { amount, currency, day }: Balance): string =>
  element(
    "Bal",
    element("Tp", element("CdOrPrtry", text("Cd", code))),
    ...money(amount, currency),
    element("Dt", text("Dt", day)),
  );

function entryOf(
  entry: BankEntry,
  { currency, servicer }: { readonly currency: string; readonly servicer: string },
): string {
  const { amount, day, reference, name, text: remittance } = entry;
  const party = element(amount < 0n ? "Cdtr" : "Dbtr", element("Pty", text("Nm", name)));
  const details = element(
    "TxDtls",
    element("Refs", text("EndToEndId", reference)),
    element("RltdPties", party),
    element("RmtInf", text("Ustrd", remittance)),
  );
  return element(
    "Ntry",
    ...money(amount, currency),
    element("Sts", text("Cd", "BOOK")),
    element("BookgDt", text("Dt", day)),
    element("ValDt", text("Dt", day)),
    text("AcctSvcrRef", servicer),
    element("BkTxCd", transferCode(amount < 0n ? "ICDT" : "RCDT")),
    element("NtryDtls", details),
  );
}

/** The bank transaction code of a SEPA credit transfer that was issued (`ICDT`) or received (`RCDT`). */
const transferCode = (family: "ICDT" | "RCDT"): string =>
  element(
    "Domn",
    text("Cd", "PMNT"),
    element("Fmly", text("Cd", family), text("SubFmlyCd", "ESCT")),
  );

/** An amount without a sign, and the indicator that has it. */
const money = (amount: bigint, currency: string): readonly string[] => [
  `<Amt Ccy="${currency}">${decimalOf(amount < 0n ? -amount : amount)}</Amt>`,
  text("CdtDbtInd", amount < 0n ? "DBIT" : "CRDT"),
];

/** Elements, each on lines of its own. */
const element = (name: string, ...children: readonly string[]): string =>
  `<${name}>\n${children.join("\n")}\n</${name}>`;

const text = (name: string, content: string): string => `<${name}>${escaped(content)}</${name}>`;

const escaped = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

import type { Client } from "../lib/client.ts";
import type { Check } from "./checks.ts";
import { camt053, closingOf } from "./reconciliation/camt053.ts";
import type { AssetCloseState, OpenBreak } from "./reconciliation/desk-wire.ts";
import { ReconciliationDesk } from "./reconciliation/desk.ts";
import { decimalOf } from "./reconciliation/money.ts";
import {
  ACCOUNTS,
  ASSET,
  type Booking,
  type Desk,
  type ExpectedBreak,
  IBAN,
  KEYS,
  type PlantedError,
  planSettlement,
  type Settlement,
  settlementDays,
} from "./reconciliation/settlement.ts";
import { stripeReport } from "./reconciliation/stripe-report.ts";
import { AccountAnswer } from "./wire.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Books a day of card payments and payouts with five errors, and gives Florin what Stripe and the bank say about it: the errors are found,
 * classed and corrected, until a rule is green and the clearing account is zero.
 */
export async function playReconciliation(
  client: Client,
  { name, print }: { readonly name: string; readonly print: (line: string) => void },
): Promise<Check[]> {
  const chapter = new ReconciliationChapter(client, name, print);
  await chapter.prepare();
  return chapter.play();
}

interface Matching {
  readonly id: string;
  /** The source of the statements on the left. */
  readonly statements: string;
}

class ReconciliationChapter {
  readonly #client: Client;
  readonly #name: string;
  readonly #print: (line: string) => void;
  readonly #desk: ReconciliationDesk;
  readonly #days = settlementDays(new Date());
  readonly #settlement: Settlement = planSettlement(this.#days);
  #matchings: Readonly<Record<Desk, Matching>> | undefined;
  #ruleID = "";

  constructor(client: Client, name: string, print: (line: string) => void) {
    this.#client = client;
    this.#name = name;
    this.#print = print;
    this.#desk = new ReconciliationDesk(client);
  }

  get #ledger(): string {
    return `${this.#name}-settlement`;
  }

  /** Makes the books of the day, a matching for Stripe and one for the bank, and a rule that wants the clearing account at zero. */
  async prepare(): Promise<void> {
    const { ledger, reconciliation } = this.#client.sdk;
    await ledger.v2.createLedger({ ledger: this.#ledger, v2CreateLedgerRequest: {} });
    const { bookings, errors } = this.#settlement;
    await this.#book(bookings);
    this.#print(`  ${bookings.length} transactions are booked, with ${errors.length} errors`);
    this.#matchings = {
      stripe: await this.#match("stripe", {
        statement: { format: "stripe-balance" },
        account: ACCOUNTS.clearing,
        references: { endToEndId: KEYS.paymentIntent, providerId: KEYS.stripeId },
        // A report of Stripe is complete: what it lacks will not come.
        timingDays: 0,
      }),
      bank: await this.#match("bank", {
        statement: { account: IBAN },
        account: ACCOUNTS.bank,
        references: { endToEndId: KEYS.endToEndId },
        timingDays: 3,
      }),
    };
    const { ruleResponse } = await reconciliation.v1.createRule({
      name: `${this.#name}: Stripe owes nothing`,
      templateKind: "account_threshold",
      templateSpec: {
        ledger: this.#ledger,
        query: { $match: { address: ACCOUNTS.clearing } },
        bounds: { [ASSET]: { min: 0, max: 0 } },
      },
      severity: "high",
    });
    this.#ruleID = ruleResponse?.data.id ?? "";
  }

  /** Makes both sources, and a matching of them by the default passes. */
  async #match(
    desk: Desk,
    {
      statement,
      account,
      references,
      timingDays,
    }: {
      readonly statement: object;
      readonly account: string;
      readonly references: object;
      readonly timingDays: number;
    },
  ): Promise<Matching> {
    const name = `${this.#name}: ${desk}`;
    const statements = await this.#desk.source({ ...statement, name, kind: "statement" });
    const books = { kind: "accounts", ledger: this.#ledger, account, references };
    const { suspense, fees } = ACCOUNTS;
    const id = await this.#desk.matching({
      name,
      leftSourceID: statements,
      rightSourceID: await this.#desk.source({ ...books, name: `${this.#name}: ${account}` }),
      period: { from: this.#days.day },
      timingDays,
      accounts: { suspense, fees },
    });
    return { id, statements };
  }

  /** Books transactions. One may take more than an account has, because a booking before it is missing. */
  async #book(bookings: readonly Booking[]): Promise<void> {
    const body = bookings.map((booking) => ({
      action: "CREATE_TRANSACTION",
      data: { ...booking, force: true },
    }));
    const path = `/api/ledger/v2/${this.#ledger}/_bulk`;
    const answer = await this.#client.send("POST", path, { body });
    if (answer.status === 200) return;
    throw new Error(`the day could not be booked: ${stringifyJson(answer.body)}`);
  }

  async play(): Promise<Check[]> {
    const [first, next] = this.#settlement.statements;
    const report = stripeReport(this.#settlement.movements);
    await this.#read("stripe", `balance-${this.#days.day}.csv`, report);
    await this.#read("bank", `${first.id}.xml`, camt053(first));
    await this.#run();
    const open = { stripe: await this.#open("stripe"), bank: await this.#open("bank") };
    const before = await this.#clearing();
    const corrections = [];
    for (const error of this.#settlement.errors) corrections.push(await this.#resolve(error, open));
    await this.#read("bank", `${next.id}.xml`, camt053(next));
    await this.#run();
    const after = await this.#clearing();
    return [
      this.#checkFound(open),
      {
        title: "each planted error is corrected by the booking that was suggested, or by waiting",
        differences: corrections.flat(),
      },
      await this.#checkClosed({ before, after, closing: closingOf(next) }),
    ];
  }

  async #read(desk: Desk, name: string, content: string): Promise<void> {
    const { format, lines } = await this.#desk.upload(this.#of(desk).statements, name, content);
    this.#print(`  ${name} is read: ${lines} lines of ${format}`);
  }

  /** Runs both matchings at once. */
  async #run(): Promise<void> {
    const runs = await Promise.all(DESKS.map((desk) => this.#desk.run(this.#of(desk).id)));
    for (const [place, { collected, matched, open }] of runs.entries()) {
      const lines = `${collected.left} and ${collected.right} new lines`;
      this.#print(`  ${DESKS[place]}: ${lines}, ${matched} matches, ${open} lines open`);
    }
  }

  #of(desk: Desk): Matching {
    const matching = this.#matchings?.[desk];
    if (matching === undefined) throw new Error("the chapter is not prepared");
    return matching;
  }

  #open(desk: Desk): Promise<readonly OpenBreak[]> {
    return this.#desk.breaks(this.#of(desk).id);
  }

  /** Books what is suggested for an error, or says that it waits. Gives what went wrong. */
  async #resolve(error: PlantedError, open: OpenBreaks): Promise<string[]> {
    const { title, desk, isCorrected } = error;
    const [wanted] = error.breaks;
    const line = open[desk].find((found) => textOf(found) === expectedText(wanted));
    if (line === undefined) return [`${title} is not found`];
    const { id } = this.#of(desk);
    const { why, dryRun, refusal } = await this.#desk.suggestion(id, line.id);
    this.#print(
      `    ${title.padEnd(17)} ${wanted.class.padEnd(13)} ${decimalOf(wanted.amount).padStart(8)} ${wanted.reference}: ${why}`,
    );
    if (!isCorrected) {
      await this.#desk.comment(
        id,
        line.id,
        "Stripe has sent it, and the bank does not have it yet",
      );
      return dryRun === undefined ? [] : [`a booking is suggested for ${title}`];
    }
    if (dryRun === undefined) return [`nothing is suggested for ${title}: ${refusal ?? why}`];
    const booked = await this.#desk.correct(id, line.id, title);
    for (const { source, destination, amount } of dryRun.postings)
      this.#print(`      booked: ${decimalOf(amount)} from ${source} to ${destination}`);
    const isClosed = booked.state === "booked" && booked.error === undefined;
    const closes = booked.closes.length === error.breaks.length;
    return isClosed && closes ? [] : [`${title}: ${stringifyJson(booked)}`];
  }

  /** The balance of the clearing account, the share of it that is cleared, and what the rule says. */
  async #clearing(): Promise<Clearing> {
    const { assets, items } = await this.#desk.clearing(this.#ledger, ACCOUNTS.clearing);
    const cleared = assets.find(({ asset }) => asset === ASSET);
    if (cleared === undefined) throw new Error(`the clearing report says nothing of ${ASSET}`);
    const { balance, completeness } = cleared;
    const { evaluationResponse } = await this.#client.sdk.reconciliation.v1.evaluateRule({
      ruleID: this.#ruleID,
      evaluateRuleRequest: { safetyMargin: "0s" },
    });
    const result = evaluationResponse?.data.result ?? "";
    this.#print(
      `  the clearing account has ${decimalOf(balance)} EUR, ${completeness} % cleared: the rule is ${result === "PASS" ? "green" : "red"}`,
    );
    return { balance, items: items.length, result };
  }

  #checkFound(open: OpenBreaks): Check {
    const { errors } = this.#settlement;
    const differences = DESKS.flatMap((desk) => {
      const expected = errors
        .filter((error) => error.desk === desk)
        .flatMap(({ breaks }) => breaks.map(expectedText));
      const found = open[desk].map(textOf);
      return [
        ...expected.filter((text) => !found.includes(text)).map((text) => `not found: ${text}`),
        ...found.filter((text) => !expected.includes(text)).map((text) => `invented: ${text}`),
        ...(new Set(found).size === found.length ? [] : [`${desk}: a break is listed twice`]),
      ];
    });
    return {
      title: `${errors.length} planted errors are found in Stripe's report and the bank's file, each in a class of its own, and nothing else is open`,
      differences,
    };
  }

  /** Checks that the rule has become green, that clearing is at zero, and that books, Stripe and bank agree to the cent. */
  async #checkClosed({
    before,
    after,
    closing,
  }: {
    readonly before: Clearing;
    readonly after: Clearing;
    readonly closing: bigint;
  }): Promise<Check> {
    const path = `/api/ledger/v2/${this.#ledger}/accounts/${ACCOUNTS.bank}?expand=volumes`;
    const { volumes = {} } = (await this.#client.get(path, AccountAnswer)).data;
    const held = volumes[ASSET]?.balance ?? 0n;
    const closes = (
      await Promise.all(DESKS.map((desk) => this.#desk.close(this.#of(desk).id)))
    ).flat();
    return {
      title:
        "the rule was red and is green, clearing is zero, and the bank account has what the bank says",
      differences: [
        ...(before.result === "FAIL" ? [] : [`the rule was ${before.result} with the errors`]),
        ...(after.result === "PASS" ? [] : [`the rule is ${after.result} in the end`]),
        ...(after.balance === 0n && after.items === 0 ? [] : [`clearing has ${after.balance}`]),
        ...(held === closing ? [] : [`the books have ${held} at the bank, which says ${closing}`]),
        ...(closes.length === 2 ? [] : [`${closes.length} assets are closed, and not 2`]),
        ...closes.flatMap(differencesOf),
      ],
    };
  }
}

const DESKS: readonly Desk[] = ["stripe", "bank"];

type OpenBreaks = Readonly<Record<Desk, readonly OpenBreak[]>>;

interface Clearing {
  readonly balance: bigint;
  readonly items: number;
  readonly result: string;
}

const textOf = ({ breakClass, side, amount, texts }: OpenBreak): string =>
  `${breakClass} ${side} ${amount} ${texts.endToEndId ?? texts.providerId}`;

const expectedText = ({ class: name, side, amount, reference }: ExpectedBreak): string =>
  `${name} ${side} ${amount} ${reference}`;

const differencesOf = ({ left, right, difference }: AssetCloseState): string[] => [
  ...(difference === 0n ? [] : [`the sides of a matching differ by ${difference}`]),
  ...[...left.outstanding, ...right.outstanding].map(
    ({ class: name, lines }) => `${lines} lines are still open: ${name}`,
  ),
];

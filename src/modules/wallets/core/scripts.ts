import { WORLD } from "./chart.ts";

/** A script with its variables, for the runtime `machine`. */
export interface WalletScript {
  readonly script: string;
  readonly vars: Readonly<Record<string, string>>;
}

export interface Money {
  readonly amount: bigint;
  readonly asset: string;
}

/** Moves an amount from several accounts to one. Sources give in their order, as far as each has some. */
export function sendScript(
  { amount, asset }: Money,
  { sources, destination }: { readonly sources: readonly string[]; readonly destination: string },
): WalletScript {
  // The account `world` gives any amount, so that accounts behind it give nothing.
  const end = sources.indexOf(WORLD);
  const distinct = [...new Set(end === -1 ? sources : sources.slice(0, end + 1))];
  // The runtime allows world to go below zero only where the script's text names it. All other addresses are variables, so that few
  // different texts are compiled.
  const names = distinct.map((source, index) =>
    source === WORLD ? `@${WORLD}` : `$source${index}`,
  );
  const bound = distinct.flatMap((source, index) =>
    source === WORLD ? [] : [[`source${index}`, source] as const],
  );
  return {
    script: scriptOf(
      ["monetary $amount", "account $destination", ...bound.map(([name]) => `account $${name}`)],
      [sendOf("$amount", names.length === 1 ? names.join("") : blockOf(names), "$destination")],
    ),
    vars: { amount: moneyText({ amount, asset }), destination, ...Object.fromEntries(bound) },
  };
}

/** Moves an amount of a hold to its destination, and the remaining amount to `rest`, if it is given. */
export function confirmScript(
  { amount, asset }: Money,
  {
    hold,
    destination,
    rest,
  }: { readonly hold: string; readonly destination: string; readonly rest?: string },
): WalletScript {
  const declarations = ["monetary $amount", "account $hold", "account $destination"];
  const first = sendOf("$amount", "$hold", "$destination");
  const vars = { amount: moneyText({ amount, asset }), hold, destination };
  if (rest === undefined) return { script: scriptOf(declarations, [first]), vars };
  return {
    script: scriptOf(
      [...declarations, "asset $asset", "account $rest"],
      [first, sendOf("[$asset *]", "$hold", "$rest")],
    ),
    vars: { ...vars, asset, rest },
  };
}

/** Moves amounts of a hold back to the accounts that they came from. */
export function voidScript(
  asset: string,
  { hold, parts }: { readonly hold: string; readonly parts: readonly Part[] },
): WalletScript {
  return {
    script: scriptOf(
      [
        "account $hold",
        ...parts.flatMap((_, index) => [`monetary $amount${index}`, `account $to${index}`]),
      ],
      parts.map((_, index) => sendOf(`$amount${index}`, "$hold", `$to${index}`)),
    ),
    vars: {
      hold,
      ...Object.fromEntries(
        parts.flatMap(({ account, amount }, index) => [
          [`amount${index}`, moneyText({ amount, asset })],
          [`to${index}`, account],
        ]),
      ),
    },
  };
}

/** An amount, and the account that gives or receives it. */
export interface Part {
  readonly account: string;
  readonly amount: bigint;
}

const moneyText = ({ amount, asset }: Money): string => `${asset} ${amount}`;

const scriptOf = (declarations: readonly string[], statements: readonly string[]): string =>
  [`vars {`, ...declarations, `}`, ...statements].join("\n");

const sendOf = (amount: string, source: string, destination: string): string =>
  `send ${amount} (\nsource = ${source}\ndestination = ${destination}\n)`;

const blockOf = (lines: readonly string[]): string => `{\n${lines.join("\n")}\n}`;

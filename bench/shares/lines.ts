import type { Share } from "./share.ts";

const NAME_WIDTH = 32;
const CELL_WIDTH = 10;
const COLUMNS = ["clients", "req/s", "ceiling/s", "share", "target"];

export const sharesHead = (): string =>
  `In turns with an empty call of an object, for single transactions with one inserted row, and, as medians, for webhooks with an empty request
${line("case", COLUMNS)}`;

export function shareLine({
  name,
  clients,
  perSecond,
  ceilingPerSecond,
  share,
  target,
}: Share): string {
  const cells = [`${clients}`, perSecond.toFixed(0), ceilingPerSecond.toFixed(0)];
  return `${line(name, [...cells, percent(share), percent(target)])}  ${share >= target ? "holds" : "missed"}`;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const line = (name: string, cells: readonly string[]): string =>
  name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(CELL_WIDTH)).join("");

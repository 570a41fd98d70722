import type { Tone } from "#console/parts/base/status.tsx";
import type { Moment } from "#console/places/workflows/queries.ts";
import { isObject, textOf } from "#console/places/workflows/values.ts";

/** A stage or an activity of an instance over time. */
export interface Span {
  readonly id: string;
  readonly stage: number;
  /** The name of the activity; absent for a stage. */
  readonly activity?: string;
  readonly fromMs: number;
  toMs?: number;
  tone: Tone;
  readonly isWait: boolean;
  /** How many attempts have failed and were followed by another one. */
  failures: number;
}

/**
 * The stages and activities of a timeline, each stage before its activities. A stage that is retried goes on: its span ends with its last
 * end, and its first activities stay.
 */
export function spansOf(moments: readonly Moment[]): Span[] {
  const stages = new Map<number, { span: Span; activities: Span[] }>();
  for (const { at, kind, stage, data } of moments) {
    if (stage === undefined) continue;
    const atMs = Date.parse(at);
    const found = stages.get(stage);
    switch (kind) {
      case "stage-started":
        if (found === undefined) {
          const type = textOf(data["type"]);
          const isWait = type === "delay" || type === "wait_event";
          const tone = isWait ? "waits" : "neutral";
          stages.set(stage, {
            span: { ...begun(`${stage}`, stage, atMs), tone, isWait },
            activities: [],
          });
        }
        break;
      case "stage-succeeded":
        end(found?.span, atMs, "good");
        break;
      case "stage-failed":
        end(found?.span, atMs, "bad");
        break;
      case "instance-retried":
        reopen(found?.span);
        break;
      case "activity-started": {
        const activity = textOf(data["name"]);
        const { length } = found?.activities ?? [];
        found?.activities.push({ ...begun(`${stage}-${length}`, stage, atMs), activity });
        break;
      }
      default:
        changeActivity(found?.activities.at(-1), kind, atMs);
    }
  }
  return [...stages.values()].flatMap(({ span, activities }) => [span, ...activities]);
}

const begun = (id: string, stage: number, fromMs: number): Span => ({
  id,
  stage,
  fromMs,
  tone: "neutral",
  isWait: false,
  failures: 0,
});

function changeActivity(span: Span | undefined, kind: string, atMs: number): void {
  if (span === undefined) return;
  if (kind === "activity-succeeded") end(span, atMs, "good");
  if (kind === "activity-failed") end(span, atMs, "bad");
  if (kind === "activity-attempt-failed") {
    span.failures += 1;
    span.tone = "warn";
  }
}

function end(span: Span | undefined, atMs: number, tone: Tone): void {
  if (span === undefined) return;
  span.toMs = atMs;
  span.tone = tone;
}

function reopen(span: Span | undefined): void {
  if (span === undefined) return; // The first part of a long timeline may lack it.
  delete span.toMs;
  span.tone = "neutral";
}

/** An object of another module that an instance has made, changed or read. */
export type LinkedObject =
  | { readonly kind: "transaction"; readonly ledger: string; readonly id: string }
  | { readonly kind: "wallet" | "payment" | "initiation"; readonly id: string };

/** The objects of a moment. */
export function linksOf({ data }: Moment): LinkedObject[] {
  if (!isObject(data)) return [];
  const text = (name: string): string => textOf(data[name]);
  const links: LinkedObject[] = [];
  if (text("transaction") !== "" && text("ledger") !== "")
    links.push({ kind: "transaction", ledger: text("ledger"), id: text("transaction") });
  if (text("wallet") !== "") links.push({ kind: "wallet", id: text("wallet") });
  if (text("payment") !== "") links.push({ kind: "payment", id: text("payment") });
  if (text("paymentInitiation") !== "")
    links.push({ kind: "initiation", id: text("paymentInitiation") });
  return links;
}

/** The objects of a timeline, each once, in the order in which they come. */
export function objectsOf(moments: readonly Moment[]): LinkedObject[] {
  const byPath = new Map<string, LinkedObject>();
  for (const link of moments.flatMap(linksOf)) byPath.set(pathOf(link), link);
  return [...byPath.values()];
}

/** The page of an object. */
export function pathOf(link: LinkedObject): string {
  const id = encodeURIComponent(link.id);
  switch (link.kind) {
    case "transaction":
      return `/ledgers/${encodeURIComponent(link.ledger)}/transactions/${id}`;
    case "wallet":
      return `/wallets/${id}`;
    case "payment":
      return `/payments/payments/${id}`;
    case "initiation":
      return `/payments/initiations/${id}`;
  }
}

import { boundLedgers, may } from "#console/api/florin.ts";
import { partWords } from "#console/parts/part-words.ts";

/** The pages of the place, in the order of their tabs. */
export type DeveloperPage = "requests" | "webhooks" | "events" | "eventTypes";

const PAGES: Readonly<Record<DeveloperPage, () => boolean>> = {
  requests: () => may("florin:operate"),
  webhooks: () => may("webhooks:read") && boundLedgers().length === 0,
  events: () => may("webhooks:read"),
  eventTypes: () => may("webhooks:read") && boundLedgers().length === 0,
};

/** The scope that opens a page. */
const SCOPES: Readonly<Record<DeveloperPage, string>> = {
  requests: "florin:operate",
  webhooks: "webhooks:read",
  events: "webhooks:read",
  eventTypes: "webhooks:read",
};

/** Why the person may not see a page, as a sentence; undefined if the person may. */
export function refusalOf(page: DeveloperPage): string | undefined {
  if (maySee(page)) return undefined;
  const words = partWords();
  return may(SCOPES[page]) ? words.boundToLedgers : words.notAllowed(SCOPES[page]);
}

/** Whether the person may see a page. Endpoints and types of events concern all ledgers, and are closed to who is bound to some. */
export const maySee = (page: DeveloperPage): boolean => PAGES[page]();

/** Whether the person may read who changed what. */
export const mayReadAudit = (): boolean => may("auth:read") && boundLedgers().length === 0;

export const mayChangeWebhooks = (): boolean =>
  may("webhooks:write") && boundLedgers().length === 0;

/** Whether the person may read the events of a type, and so may send them to an endpoint: `ledger.…` takes `ledger:read`. */
export const mayReadEvent = (type: string): boolean => {
  const [app = ""] = type.split(".");
  return app === "*" || may(`${app}:read`);
};

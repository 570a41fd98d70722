import { florin } from "#console/api/florin.ts";
import { useWrite, type Write } from "#console/parts/forms/use-write.ts";
import { ALERTS_KEY } from "#console/places/reconciliation/queries/alerts.ts";

/** What somebody says of an alert. Each action takes its own part of it. */
export interface AlertStatement {
  /** The name of the person. */
  readonly by: string;
  readonly note?: string;
  readonly transactionRefs?: string[];
  readonly until?: string;
}

/** The write of an action on an alert, after which its window closes. */
export const useAlertAction = (
  id: string,
  verb: "ack" | "resolve" | "accept" | "snooze" | "unsnooze",
  close: () => void,
): Write<AlertStatement, unknown> =>
  useWrite(
    (body: AlertStatement, call): Promise<unknown> =>
      florin.post(
        `/api/reconciliation/alerts/{alertID}/${verb}`,
        { path: { alertID: id }, body },
        call,
      ),
    { refresh: [ALERTS_KEY, ["home", "alerts"]], onDone: close },
  );

import type { ProviderWebhook } from "#modules/payments/connectors/webhook-contract.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";

/** Calls of a provider that have to be made, with the changes that follow from their answers. */
export type Job =
  | {
      readonly kind: "forward-bank-account";
      readonly bankAccountId: string;
      readonly connector: ConnectorId;
    }
  | { readonly kind: "delete-user"; readonly userId: string }
  | {
      readonly kind: "delete-user-from-connector";
      readonly userId: string;
      readonly connector: ConnectorId;
    }
  | {
      readonly kind: "delete-user-connection";
      readonly userId: string;
      readonly connector: ConnectorId;
      readonly connectionId: string;
    }
  | {
      readonly kind: "complete-link";
      readonly attemptId: string;
      readonly connector: ConnectorId;
      readonly callback: RedirectCallback;
    }
  | {
      readonly kind: "translate-webhook";
      readonly connector: ConnectorId;
      readonly webhook: ProviderWebhook;
    };

export type JobOf<K extends Job["kind"]> = Extract<Job, { readonly kind: K }>;

/** A request to the redirect endpoint. */
export interface RedirectCallback {
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

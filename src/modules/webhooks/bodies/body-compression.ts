import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * Texts that bodies of events have in common, as a preset dictionary of DEFLATE (RFC 1951, RFC 1950 §2.2). The most frequent ones
 * are last, because DEFLATE refers to a near text with fewer bits. A stored body can be read only with the dictionary that it was
 * written with, so a changed dictionary needs a new form.
 */
const DICTIONARY = Buffer.from(
  [
    '"rawData":{"id":"","created":"status":"pending","amount":"currency":"description":"reference":null,true,false,',
    '"parentTaskID":"accountID":"poolID":"bankAccountID":"paymentInitiationID":"workflowID":"instanceID":"walletID":',
    '"SAVED_BALANCE","UPDATED_METADATA","SAVED_POOL","SAVED_BANK_ACCOUNT","payments.saved_account","payments.saved_payment"',
    '"balance":"defaultAsset":"EUR/2","USD/2","accountName":"accountType":"INTERNAL","EXTERNAL",',
    '"lastUpdatedAt":"updatedAt":"PAYOUT","TRANSFER","PAY-IN","PENDING","FAILED","REFUNDED","AUTHORISATION","SUCCEEDED",',
    '"sourceAccountID":"eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6I","destinationAccountID":"eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6I',
    '"links":[{"name":"source_account","uri":"/api/payments/v3/accounts/"},{"name":"destination_account","uri":"/api/payments/v3/accounts/"}],',
    '"metadata":{},"scheme":"OTHER","asset":"EUR/2","initialAmount":"100","amount":"100"}}',
    '{"idempotency_key":"","date":"2026-01-01T00:00:00.000000Z","app":"payments","version":"v3.0.0","type":"payments.saved_payment",',
    '"payload":{"id":"eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6I","connectorID":"eyJQcm92aWRlciI6I","provider":"generic",',
    '"reference":"","createdAt":"2026-01-01T00:00:00Z","type":"PAY-IN","status":"SUCCEEDED",',
  ].join(""),
);

/** The first byte of a stored body that is raw DEFLATE with the dictionary. No other form exists yet. */
const DEFLATED = 1;

/** The stored form of a body: a byte that names the form, then raw DEFLATE with the dictionary. */
export const compressBody = (body: string): Buffer =>
  Buffer.concat([
    Buffer.of(DEFLATED),
    deflateRawSync(Buffer.from(body), { dictionary: DICTIONARY }),
  ]);

/** The text of a stored body, as it was given to `compressBody`. Throws for a form of a later version. */
export function decompressBody(stored: Uint8Array): string {
  if (stored[0] !== DEFLATED) {
    throw new Error(`a later version has stored the body, in the form ${stored[0]}`);
  }
  return inflateRawSync(stored.subarray(1), { dictionary: DICTIONARY }).toString();
}

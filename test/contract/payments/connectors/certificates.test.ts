import { expect, test } from "vitest";
import { assertCertificate } from "#modules/payments/connectors/bankingcircle/config.ts";
import { BANKINGCIRCLE_CONFIG } from "#test/support/psp/bankingcircle.ts";

test("a certificate is checked with its key on this runtime as well", () => {
  expect(() => assertCertificate(BANKINGCIRCLE_CONFIG)).not.toThrow();
  const { userCertificate: userCertificateKey } = BANKINGCIRCLE_CONFIG;
  expect(() => assertCertificate({ ...BANKINGCIRCLE_CONFIG, userCertificateKey })).toThrow(
    "failed to load user certificate",
  );
});

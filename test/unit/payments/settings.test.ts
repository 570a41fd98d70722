import { describe, expect, test } from "vitest";
import { paymentSettings, providerUrlOf } from "#modules/payments/settings.ts";

describe("the URLs of providers", () => {
  const env = {
    FLORIN_PAYMENTS_PROVIDER_URLS:
      "stripe=http://127.0.0.1:12111, wise=https://sandbox.example/v=1",
  } as unknown as Env; // the settings are all that is read

  test("the URLs of providers are found by the kind of the connector", () => {
    expect(providerUrlOf(env, "wise")).toBe("https://sandbox.example/v=1");
    expect(providerUrlOf(env, "stripe")).toBe("http://127.0.0.1:12111");
    expect(providerUrlOf(env, "adyen")).toBeUndefined();
  });

  test.each(["https://sandbox.example", "wise=", "wise=ftp://sandbox.example", "Wise=https://a"])(
    "the URLs of providers are refused in another form: %s",
    (text) => {
      expect(() => paymentSettings.parse({ FLORIN_PAYMENTS_PROVIDER_URLS: text })).toThrow(
        "FLORIN_PAYMENTS_PROVIDER_URLS",
      );
    },
  );
});

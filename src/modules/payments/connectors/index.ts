import { adyenKind } from "./adyen/index.ts";
import { atlarKind } from "./atlar/index.ts";
import { bankingcircleKind } from "./bankingcircle/index.ts";
import { coinbaseprimeKind } from "./coinbaseprime/index.ts";
import { columnKind } from "./column/index.ts";
import type { ConnectorKind } from "./contract.ts";
import { currencycloudKind } from "./currencycloud/index.ts";
import { dummypayKind } from "./dummypay/index.ts";
import { genericKind } from "./generic/index.ts";
import { increaseKind } from "./increase/index.ts";
import { mangopayKind } from "./mangopay/index.ts";
import { modulrKind } from "./modulr/index.ts";
import { moneycorpKind } from "./moneycorp/index.ts";
import { plaidKind } from "./plaid/index.ts";
import { powensKind } from "./powens/index.ts";
import { qontoKind } from "./qonto/index.ts";
import { stripeKind } from "./stripe/index.ts";
import { tinkKind } from "./tink/index.ts";
import { wiseKind } from "./wise/index.ts";

/** All kinds of connectors, in the order of their names. */
export const CONNECTOR_KINDS: readonly ConnectorKind[] = [
  adyenKind,
  atlarKind,
  bankingcircleKind,
  coinbaseprimeKind,
  columnKind,
  currencycloudKind,
  dummypayKind,
  genericKind,
  increaseKind,
  mangopayKind,
  modulrKind,
  moneycorpKind,
  plaidKind,
  powensKind,
  qontoKind,
  stripeKind,
  tinkKind,
  wiseKind,
];

/** The kind with a name, as ids of connectors contain it; undefined if this version has no such kind. */
export const kindOf = (provider: string): ConnectorKind | undefined =>
  CONNECTOR_KINDS.find(({ key }) => key === provider);

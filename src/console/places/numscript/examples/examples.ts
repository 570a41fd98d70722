/** A worked example. It gives itself the money that it moves, so that it runs in every ledger. */
export interface Example {
  readonly id: ExampleId;
  readonly script: string;
  /** Values of the variables, as the API takes them. */
  readonly values: Readonly<Record<string, string>>;
}

export type ExampleId = keyof typeof SOURCES;

const SOURCES = {
  "payment-with-fee": {
    script: `vars {
  monetary $price
  portion $fee
  account $customer
  account $merchant
}

// The customer's card pays.
send $price (
  source = @world
  destination = $customer
)

// The platform keeps its fee, and the merchant gets what is left.
send $price (
  source = $customer
  destination = {
    $fee to @platform:fees
    remaining to $merchant
  }
)

set_tx_meta("kind", "payment")
`,
    values: {
      price: "EUR/2 4990",
      fee: "2.9%",
      customer: "customers:1042",
      merchant: "merchants:bakery",
    },
  },
  "split-by-portions": {
    script: `vars {
  monetary $income
  portion $author
  portion $publisher
}

// Each gets a share. Units that cannot be divided go to the first ones.
send $income (
  source = @world
  destination = {
    $author to @royalties:author
    $publisher to @royalties:publisher
    remaining to @royalties:agency
  }
)
`,
    values: { income: "EUR/2 100000", author: "1/2", publisher: "35%" },
  },
  "marketplace-payout": {
    script: `vars {
  account $seller
  account $bank
  monetary $sales
}

// What the seller has sold so far.
send $sales (
  source = @world
  destination = $seller
)

// A reserve for complaints stays with the seller.
save [EUR/2 5000] from $seller

// Everything else is paid out.
send [EUR/2 *] (
  source = $seller
  destination = $bank
)
`,
    values: {
      seller: "sellers:77",
      bank: "payouts:sellers:77",
      sales: "EUR/2 128450",
    },
  },
  "credit-line": {
    script: `vars {
  account $customer
  monetary $purchase
  monetary $limit
}

// The customer may owe up to the limit. Above it, nothing moves.
send $purchase (
  source = $customer allowing overdraft up to $limit
  destination = @merchants:garage
)
`,
    values: { customer: "credit:5120", purchase: "EUR/2 32000", limit: "EUR/2 50000" },
  },
  refund: {
    script: `vars {
  monetary $paid
  monetary $refund
  account $customer
}

// The payment, with the platform's fee of a tenth.
send $paid (
  source = @world
  destination = {
    10% to @platform:fees
    remaining to @merchants:atelier
  }
)

// The fee and the merchant give back their shares.
send $refund (
  source = {
    10% from @platform:fees
    remaining from @merchants:atelier
  }
  destination = $customer
)

set_tx_meta("kind", "refund")
`,
    values: { paid: "EUR/2 8000", refund: "EUR/2 2500", customer: "customers:1042" },
  },
  "hold-and-release": {
    script: `vars {
  account $guest
  account $hold
  monetary $deposit
  monetary $damage
}

send $deposit (
  source = @world
  destination = $guest
)

// The deposit is set aside.
send $deposit (
  source = $guest
  destination = $hold
)

// At departure the damage is taken, and the rest is free again.
send $damage (
  source = $hold
  destination = @hotel:income
)
send [EUR/2 *] (
  source = $hold
  destination = $guest
)
`,
    values: {
      guest: "guests:12",
      hold: "guests:12:hold",
      deposit: "EUR/2 20000",
      damage: "EUR/2 3500",
    },
  },
  "sources-in-order": {
    script: `vars {
  account $customer_credits
  account $customer_wallet
  monetary $total
  monetary $credits_at_most
}

send [EUR/2 1200] (
  source = @world
  destination = $customer_credits
)
send [EUR/2 1500] (
  source = @world
  destination = $customer_wallet
)

// First credits up to a limit, then the wallet, then the card.
send $total (
  source = {
    max $credits_at_most from $customer_credits
    $customer_wallet
    @world
  }
  destination = @shop:orders
)
`,
    values: {
      customer_credits: "customers:1042:credits",
      customer_wallet: "customers:1042:wallet",
      total: "EUR/2 4000",
      credits_at_most: "EUR/2 1000",
    },
  },
  "currency-exchange": {
    script: `vars {
  account $customer
  monetary $sold
  monetary $bought
}

send $sold (
  source = @world
  destination = $customer
)

// The desk takes one currency and gives the other one. What it owes is its position.
send $sold (
  source = $customer
  destination = @exchange:desk
)
send $bought (
  source = @exchange:desk allowing unbounded overdraft
  destination = $customer
)

set_tx_meta("kind", "exchange")
`,
    values: { customer: "customers:1042", sold: "EUR/2 10000", bought: "USD/2 10850" },
  },
  "monthly-fee": {
    script: `vars {
  account $user
  monetary $volume
  monetary $fee_at_most
}

send $volume (
  source = @world
  destination = $user
)

// One hundredth of the month's volume, but never more than the cap.
send $volume (
  source = $user
  destination = {
    1% to {
      max $fee_at_most to @platform:fees:monthly
      remaining kept
    }
    remaining kept
  }
)
`,
    values: { user: "users:42", volume: "EUR/2 900000", fee_at_most: "EUR/2 5000" },
  },
  "allocation-with-remainder": {
    script: `vars {
  monetary $pot
  asset $unit
}

// Nobody loses a unit: of 100.00, the first gets 33.34 and the others 33.33.
send $pot (
  source = @world
  destination = {
    1/3 to @team:ada
    1/3 to @team:grace
    1/3 to @team:edsger
  }
)

// The whole balance of an account, whatever it is.
send [$unit *] (
  source = @team:ada
  destination = @team:ada:savings
)
`,
    values: { pot: "EUR/2 10000", unit: "EUR/2" },
  },
} as const satisfies Readonly<
  Record<string, { readonly script: string; readonly values: Readonly<Record<string, string>> }>
>;

export const EXAMPLES: readonly Example[] = Object.entries(SOURCES).map(([id, example]) => ({
  id: id as ExampleId, // The entries have these ids.
  ...example,
}));

export const exampleOf = (id: string | undefined): Example | undefined =>
  EXAMPLES.find((example) => example.id === id);

/** The script of a template that books any adjustment of a payment. */
export const MIRROR = `vars {
  monetary $amount
  account $from
  account $to
}
send $amount (
  source = $from allowing unbounded overdraft
  destination = $to
)`;

/** The schema of a ledger that books payments of all providers. */
export const MIRROR_SCHEMA = {
  chart: {
    world: {},
    disputes: {},
    payments: {
      $connector: { ".pattern": "^.+$", $account: { ".pattern": "^.+$", ".self": {} } },
    },
  },
  transactions: { mirror: { description: "Any adjustment", script: MIRROR } },
};

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import type { Pool } from "./queries.ts";
import { florin, may } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { SelectField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";
import { partWords } from "#console/parts/part-words.ts";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { AccountLink } from "#console/places/payments/common/names.tsx";
import { accountMenuQuery, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The accounts of a pool of chosen accounts. */
export function PoolAccounts({ pool: { id, poolAccounts } }: { readonly pool: Pool }) {
  const words = paymentWords().pools;
  const mayWrite = may("payments:write");
  return (
    <Section
      title={words.accounts}
      actions={
        mayWrite && (
          <FormDialog trigger={words.add} title={words.add}>
            {(close) => <AddAccount poolId={id} members={poolAccounts} close={close} />}
          </FormDialog>
        )
      }
    >
      {poolAccounts.length === 0 ? (
        <p className="text-muted">{words.noAccounts}</p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {poolAccounts.map((account) => (
            <Member key={account} poolId={id} account={account} mayRemove={mayWrite} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Member({
  poolId,
  account,
  mayRemove,
}: {
  readonly poolId: string;
  readonly account: string;
  readonly mayRemove: boolean;
}) {
  const remove = useWrite(
    (_: undefined, options) =>
      florin.delete(
        "/api/payments/v3/pools/{poolID}/accounts/{accountID}",
        { path: { poolID: poolId, accountID: account } },
        options,
      ),
    { refresh: [PAYMENTS_KEY] },
  );
  const label = paymentWords().pools.remove(referenceIn(account));
  return (
    <li className="px-3 py-1.5">
      <span className="flex items-center justify-between gap-3">
        <AccountLink id={account} />
        {mayRemove && (
          <Button
            kind="quiet"
            aria-label={label}
            title={label}
            onClick={() => remove.send(undefined)}
            disabled={remove.isSending}
          >
            <X aria-hidden size={14} />
          </Button>
        )}
      </span>
      {remove.error !== null && <Failure error={remove.error} title={partWords().form.failed} />}
    </li>
  );
}

function AddAccount({
  poolId,
  members,
  close,
}: {
  readonly poolId: string;
  readonly members: readonly string[];
  readonly close: () => void;
}) {
  const words = paymentWords();
  const { data = [] } = useQuery(accountMenuQuery(undefined));
  const [account, setAccount] = useState("");
  const add = useWrite(
    (accountID: string, options) =>
      florin.post(
        "/api/payments/v3/pools/{poolID}/accounts/{accountID}",
        { path: { poolID: poolId, accountID } },
        options,
      ),
    { refresh: [PAYMENTS_KEY], onDone: close },
  );
  const others = data.filter(({ id, type }) => type !== "EXTERNAL" && !members.includes(id));
  return (
    <Form write={add} submit={words.pools.addSubmit} onSubmit={() => add.send(account)}>
      <SelectField
        label={words.fields.account}
        value={account}
        onChange={setAccount}
        isRequired
        options={[
          ["", words.initiations.choose],
          ...others.map(
            ({ id, reference, connector }) =>
              [id, visible(`${reference} · ${connector.name}`)] as const,
          ),
        ]}
      />
    </Form>
  );
}

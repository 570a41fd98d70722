import { useState } from "react";
import { WALLETS_KEY } from "./queries.ts";
import { walletWords } from "./words.ts";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";

interface MetadataProps {
  readonly wallet: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The metadata of a wallet, by name. */
export function Metadata({ wallet, metadata }: MetadataProps) {
  const words = walletWords();
  const entries = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return (
    <Section
      title={words.detail.metadata}
      actions={
        may("wallets:write") ? (
          <FormDialog trigger={words.metadata.edit} title={words.metadata.title} kind="quiet">
            {(close) => <MetadataForm wallet={wallet} close={close} />}
          </FormDialog>
        ) : undefined
      }
    >
      {entries.length === 0 && <p className="text-muted">{words.detail.noMetadata}</p>}
      <Facts>
        {entries.map(([name, value]) => (
          <Fact key={name} name={visible(name)}>
            <Foreign>{value}</Foreign>
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

function MetadataForm({ wallet, close }: { readonly wallet: string; readonly close: () => void }) {
  const words = walletWords().metadata;
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const write = useWrite(
    (metadata: Readonly<Record<string, string>>, options) =>
      florin.patch(
        "/api/wallets/wallets/{walletID}",
        { path: { walletID: wallet }, body: { metadata } },
        options,
      ),
    { refresh: [[...WALLETS_KEY, wallet]], onDone: close },
  );
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send({ [name]: value })}>
      <TextField label={words.name} value={name} onChange={setName} isRequired isCode />
      <TextField label={words.value} value={value} onChange={setValue} />
    </Form>
  );
}

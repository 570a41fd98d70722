import { z } from "zod";
import type { QontoConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const Organization = z.object({ organization: z.object({ bank_accounts: z.array(z.unknown()) }) });

/** The API of Qonto, version 2. All methods throw `ConnectorError`. */
export class QontoClient {
  readonly #api: kit.ApiClient;

  constructor(fetch: kit.ProviderFetch, { clientID, apiKey, endpoint, stagingToken }: QontoConfig) {
    this.#api = new kit.ApiClient(fetch, {
      baseUrl: endpoint,
      headers: () => ({
        authorization: `${clientID}:${apiKey}`,
        ...(stagingToken === "" ? {} : { "x-qonto-staging-token": stagingToken }),
      }),
    });
  }

  async checkAccess(): Promise<void> {
    await this.listBankAccounts();
  }

  /** All bank accounts of the organization that the API key belongs to. */
  async listBankAccounts(): Promise<readonly unknown[]> {
    const call = { path: "/v2/organization" };
    const { organization } = await this.#api.read(call, Organization, "the organization");
    return organization.bank_accounts;
  }

  listBeneficiaries(place: kit.TimeListPlace): Promise<readonly unknown[]> {
    return this.#list("beneficiaries", place, {});
  }

  listTransactions(bankAccountId: string, place: kit.TimeListPlace): Promise<readonly unknown[]> {
    return this.#list("transactions", place, {
      bank_account_id: bankAccountId,
      "status[]": ["pending", "declined", "completed"],
    });
  }

  /** A page of a list in the order of changes. */
  async #list(
    name: string,
    { from, page, pageSize }: kit.TimeListPlace,
    query: NonNullable<kit.ApiCall["query"]>,
  ): Promise<readonly unknown[]> {
    const ordered = {
      ...query,
      sort_by: "updated_at:asc",
      page,
      per_page: pageSize,
      updated_at_from: from === undefined ? undefined : kit.secondOf(from).replace("Z", ".000Z"),
    };
    const schema = z.object({ [name]: z.array(z.unknown()) });
    const answer = await this.#api.read({ path: `/v2/${name}`, query: ordered }, schema, name);
    return answer[name] ?? [];
  }
}

import { z } from "zod";
import type { QontoConfig } from "./config.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import { ApiClient, type ApiCall } from "#modules/payments/connectors/kit/client.ts";
import { secondOf, type TimeListPlace } from "#modules/payments/connectors/kit/time-list.ts";

const Organization = z.object({ organization: z.object({ bank_accounts: z.array(z.unknown()) }) });

/** The API of the provider, version 2. */
export class QontoClient {
  readonly #api: ApiClient;

  constructor(fetch: ProviderFetch, { clientId, apiKey, endpoint, stagingToken }: QontoConfig) {
    this.#api = new ApiClient(fetch, {
      baseUrl: endpoint,
      headers: () => ({
        authorization: `${clientId}:${apiKey}`,
        ...(stagingToken === "" ? {} : { "x-qonto-staging-token": stagingToken }),
      }),
    });
  }

  async checkAccess(): Promise<void> {
    await this.listBankAccounts();
  }

  /** All bank accounts of the organization, which the key belongs to. */
  async listBankAccounts(): Promise<readonly unknown[]> {
    const call = { path: "/v2/organization" };
    const { organization } = await this.#api.read(call, Organization, "the organization");
    return organization.bank_accounts;
  }

  listBeneficiaries(place: TimeListPlace): Promise<readonly unknown[]> {
    return this.#list("beneficiaries", place, {});
  }

  listTransactions(bankAccountId: string, place: TimeListPlace): Promise<readonly unknown[]> {
    return this.#list("transactions", place, {
      bank_account_id: bankAccountId,
      "status[]": ["pending", "declined", "completed"],
    });
  }

  /** A page of a list in the order of changes. */
  async #list(
    name: string,
    { from, page, pageSize }: TimeListPlace,
    query: NonNullable<ApiCall["query"]>,
  ): Promise<readonly unknown[]> {
    const ordered = {
      ...query,
      sort_by: "updated_at:asc",
      page,
      per_page: pageSize,
      updated_at_from: from === undefined ? undefined : secondOf(from).replace("Z", ".000Z"),
    };
    const schema = z.object({ [name]: z.array(z.unknown()) });
    const answer = await this.#api.read({ path: `/v2/${name}`, query: ordered }, schema, name);
    return answer[name] ?? [];
  }
}

import {
  ClientParams,
  ClientResponse,
  CreateClientRequest,
  CreateSecretRequest,
  SecretParams,
  SecretResponse,
  UpdateClientRequest,
} from "./schemas.ts";
import { toClientView, toCreatedSecretView } from "./views.ts";
import { ClientService } from "#modules/auth/clients/service.ts";
import { CLIENT_BYTES_MAX } from "#modules/auth/core/client.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const clients = operations({ path: "/clients", tags: ["OAuth clients"], scope: "auth" });

/** Registers the operations of clients and their secrets. */
export const registerClients = registration(
  clients.get("", {
    operationId: "listClients",
    summary: "List all clients",
    answer: ok.list("The clients", ClientResponse, toClientView),
    handle: ({ context }) => ClientService.from(context).list(),
  }),
  clients.post("", {
    operationId: "createClient",
    summary: "Create a client",
    body: CreateClientRequest,
    bodyBytesMax: CLIENT_BYTES_MAX,
    answer: ok.created("The client", ClientResponse, toClientView),
    errors: [409],
    handle: ({ body: { id, ...fields }, context }) =>
      ClientService.from(context).create(fields, id === "" ? undefined : id),
  }),
  clients.get("/{clientId}", {
    operationId: "readClient",
    summary: "Read a client",
    params: ClientParams,
    answer: ok.data("The client", ClientResponse, toClientView),
    errors: [404],
    handle: ({ params, context }) => ClientService.from(context).get(params.clientId),
  }),
  clients.put("/{clientId}", {
    operationId: "updateClient",
    summary: "Replace all fields of a client",
    description:
      "Fields that are left out become empty. The id and the secrets stay. Whoever changes a client needs what it may do, would be able to do, and could do lately. Where it gets more than before, secrets and redirect URIs end that somebody has made who could not have given so much; the answer shows those that are left.",
    params: ClientParams,
    body: UpdateClientRequest,
    bodyBytesMax: CLIENT_BYTES_MAX,
    answer: ok.data("The client", ClientResponse, toClientView),
    errors: [404, 409],
    handle: ({ params, body, context }) =>
      ClientService.from(context).replace(params.clientId, body),
  }),
  clients.delete("/{clientId}", {
    operationId: "deleteClient",
    summary: "Delete a client, if there is one",
    description:
      "Its tokens end within a minute. Whoever deletes a client needs what it may do, and could do lately.",
    params: ClientParams,
    answer: ok.empty("There is no such client now"),
    errors: [409],
    handle: ({ params, context }) => ClientService.from(context).delete(params.clientId),
  }),
  clients.post("/{clientId}/secrets", {
    operationId: "createSecret",
    summary: "Add a secret to a client",
    description:
      "The answer is the only place that ever shows the secret. Whoever takes a secret needs what the client may do, and could do lately.",
    params: ClientParams,
    body: CreateSecretRequest,
    bodyBytesMax: CLIENT_BYTES_MAX,
    answer: ok.data("The secret", SecretResponse, toCreatedSecretView),
    errors: [404, 409],
    handle: ({ params, body, context }) =>
      ClientService.from(context).createSecret(params.clientId, body),
  }),
  clients.delete("/{clientId}/secrets/{secretId}", {
    operationId: "deleteSecret",
    summary: "Delete a secret of a client",
    params: SecretParams,
    answer: ok.empty("The secret is deleted"),
    errors: [404, 409],
    handle: ({ params, context }) =>
      ClientService.from(context).deleteSecret(params.clientId, params.secretId),
  }),
);

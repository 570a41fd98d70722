import type { OpenAPIHono } from "@hono/zod-openapi";
import {
  ClientParams,
  ClientResponse,
  ClientsResponse,
  CreateClientRequest,
  CreateSecretRequest,
  SecretParams,
  SecretResponse,
  UpdateClientRequest,
} from "./schemas.ts";
import { toClientView, toCreatedSecretView } from "./views.ts";
import { ClientService } from "#modules/auth/clients/service.ts";
import { CLIENT_BYTES_MAX } from "#modules/auth/core/client.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";

const tags = ["OAuth clients"];

/** Registers the operations of clients and their secrets. */
export function registerClients(app: OpenAPIHono<AppEnv>): void {
  registerLists(app);
  registerClient(app);
  registerSecrets(app);
}

function registerLists(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/clients",
      operationId: "listClients",
      summary: "List all clients",
      tags,
      scope: "auth:read",
      responses: { 200: json("The clients", ClientsResponse) },
    },
    async ({ c }) => {
      const clients = await ClientService.from(c.var.context).list();
      return { status: 200, body: { data: clients.map(toClientView) } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/clients",
      operationId: "createClient",
      summary: "Create a client",
      tags,
      scope: "auth:write",
      body: CreateClientRequest,
      bodyBytesMax: CLIENT_BYTES_MAX,
      responses: { 201: json("The client", ClientResponse), ...errors(409) },
    },
    async ({ body: { id, ...fields }, c }) => {
      const client = await ClientService.from(c.var.context).create(
        fields,
        id === "" ? undefined : id,
      );
      return { status: 201, body: { data: toClientView(client) } };
    },
  );
}

function registerClient(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/clients/{clientId}",
      operationId: "readClient",
      summary: "Read a client",
      tags,
      scope: "auth:read",
      params: ClientParams,
      responses: { 200: json("The client", ClientResponse), ...errors(404) },
    },
    async ({ params, c }) => {
      const client = await ClientService.from(c.var.context).get(params.clientId);
      return { status: 200, body: { data: toClientView(client) } };
    },
  );
  endpoint(
    app,
    {
      method: "put",
      path: "/clients/{clientId}",
      operationId: "updateClient",
      summary: "Replace all fields of a client",
      description:
        "Fields that are left out become empty. The id and the secrets stay. Whoever changes a client needs what it may do, would be able to do, and could do lately. Where it gets more than before, secrets and redirect URIs end that somebody has made who could not have given so much; the answer shows those that are left.",
      tags,
      scope: "auth:write",
      params: ClientParams,
      body: UpdateClientRequest,
      bodyBytesMax: CLIENT_BYTES_MAX,
      responses: { 200: json("The client", ClientResponse), ...errors(404, 409) },
    },
    async ({ params, body, c }) => {
      const client = await ClientService.from(c.var.context).replace(params.clientId, body);
      return { status: 200, body: { data: toClientView(client) } };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/clients/{clientId}",
      operationId: "deleteClient",
      summary: "Delete a client, if there is one",
      description:
        "Its tokens end within a minute. Whoever deletes a client needs what it may do, and could do lately.",
      tags,
      scope: "auth:write",
      params: ClientParams,
      responses: { 204: empty("There is no such client now"), ...errors(409) },
    },
    async ({ params, c }) => {
      await ClientService.from(c.var.context).delete(params.clientId);
      return { status: 204 };
    },
  );
}

function registerSecrets(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/clients/{clientId}/secrets",
      operationId: "createSecret",
      summary: "Add a secret to a client",
      description:
        "The answer is the only place that ever shows the secret. Whoever takes a secret needs what the client may do, and could do lately.",
      tags,
      scope: "auth:write",
      params: ClientParams,
      body: CreateSecretRequest,
      bodyBytesMax: CLIENT_BYTES_MAX,
      responses: { 200: json("The secret", SecretResponse), ...errors(404, 409) },
    },
    async ({ params, body, c }) => {
      const created = await ClientService.from(c.var.context).createSecret(params.clientId, body);
      return { status: 200, body: { data: toCreatedSecretView(created) } };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/clients/{clientId}/secrets/{secretId}",
      operationId: "deleteSecret",
      summary: "Delete a secret of a client",
      tags,
      scope: "auth:write",
      params: SecretParams,
      responses: { 204: empty("The secret is deleted"), ...errors(404, 409) },
    },
    async ({ params, c }) => {
      await ClientService.from(c.var.context).deleteSecret(params.clientId, params.secretId);
      return { status: 204 };
    },
  );
}

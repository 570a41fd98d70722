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
import { CLIENT_BYTES_MAX } from "#modules/auth/core/client.ts";
import { ClientService } from "#modules/auth/service.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";

const tags = ["OAuth clients"];

/** Clients and their secrets. */
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
      aliases: ["/clients/"],
      operationId: "listClients",
      summary: "List all clients",
      tags,
      scope: "auth:read",
      responses: { 200: json("The clients", ClientsResponse) },
    },
    async ({ c }) => {
      const clients = await ClientService.from(c.var.context, deploymentOf(c).scopes).list();
      return { status: 200, body: { data: clients.map(toClientView) } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/clients",
      aliases: ["/clients/"],
      operationId: "createClient",
      summary: "Create a client",
      tags,
      scope: "auth:write",
      body: CreateClientRequest,
      bodyBytesMax: CLIENT_BYTES_MAX,
      responses: { 201: json("The client", ClientResponse), ...errors(409) },
    },
    async ({ body: { id, ...fields }, c }) => {
      const client = await ClientService.from(c.var.context, deploymentOf(c).scopes).create(
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
      const client = await ClientService.from(c.var.context, deploymentOf(c).scopes).get(
        params.clientId,
      );
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
      description: "Fields that are left out become empty. The id and the secrets stay.",
      tags,
      scope: "auth:write",
      params: ClientParams,
      body: UpdateClientRequest,
      bodyBytesMax: CLIENT_BYTES_MAX,
      responses: { 200: json("The client", ClientResponse), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const client = await ClientService.from(c.var.context, deploymentOf(c).scopes).replace(
        params.clientId,
        body,
      );
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
      description: "Its tokens end within a minute.",
      tags,
      scope: "auth:write",
      params: ClientParams,
      responses: { 204: empty("There is no such client now") },
    },
    async ({ params, c }) => {
      await ClientService.from(c.var.context, deploymentOf(c).scopes).delete(params.clientId);
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
      description: "The answer is the only place that ever shows the secret.",
      tags,
      scope: "auth:write",
      params: ClientParams,
      body: CreateSecretRequest,
      bodyBytesMax: CLIENT_BYTES_MAX,
      responses: { 200: json("The secret", SecretResponse), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const created = await ClientService.from(c.var.context, deploymentOf(c).scopes).createSecret(
        params.clientId,
        body,
      );
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
      responses: { 204: empty("The secret is deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await ClientService.from(c.var.context, deploymentOf(c).scopes).deleteSecret(
        params.clientId,
        params.secretId,
      );
      return { status: 204 };
    },
  );
}

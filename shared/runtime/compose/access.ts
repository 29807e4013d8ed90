import type { APIGatewayProxyEvent } from 'aws-lambda';
import { accountView } from '../../domain/access/accounts.ts';
import { identify } from '../../domain/access/credentials.ts';
import * as rules from '../../domain/access/keys.ts';
import { organizationView } from '../../domain/access/organizations.ts';
import type { Actor } from '../../domain/actor.ts';
import { isRefusal, refuse } from '../../domain/errors.ts';
import { credentialReader, listAccounts, readOrganization } from '../../storage/access.ts';
import { keyStore } from '../../storage/keys.ts';
import { eventHint } from '../../storage/outbox.ts';
import { authorizationOf } from '../authorizer.ts';
import { clock, publishDue, settings, table } from './platform.ts';

interface Page {
  readonly limit: number;
  readonly skip: number;
}

const store = keyStore(table);

/** A key's one answer with its secret, once its event is on the way. */
const shown = ({ key, secret, event }: rules.KeyIssued) => {
  publishDue([eventHint(event.id)]);
  return { ...rules.keyView(key, clock()), key: secret.text };
};

/**
 * The caller of a change, identified anew: the gateway trusts an earlier answer for up to 60 s, and in that time a key that was
 * revoked could make itself another. One or two reads; the list, which hands nothing out, does without.
 */
const callerNow = async (event: APIGatewayProxyEvent) => {
  const at = { env: settings.STAGE, now: clock(), credentials: credentialReader(table) };
  return (await identify(authorizationOf(event), at)) ?? refuse('UNAUTHORIZED', 'The credential is no longer valid.');
};

/** The API keys of the stage, for the operations of `keys`. */
export const keys = {
  list: async (actor: Actor, page: Page) => {
    const { items, total } = await store.list(actor.organizationId, page);
    return { items: items.map((key) => rules.keyView(key, clock())), total };
  },
  create: async (
    event: APIGatewayProxyEvent,
    body: { name: string; scopes: readonly string[]; expiresAt?: string | undefined },
  ) => {
    const actor = await callerNow(event);
    if (isRefusal(actor)) return actor;
    const { name, scopes, expiresAt } = body;
    const wish = { name, scopes, ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }) };
    const issued = await rules.createKey(store, actor, wish, clock());
    return isRefusal(issued) ? issued : shown(issued);
  },
  rotate: async (event: APIGatewayProxyEvent, wish: { id: string; overlapHours?: number | undefined }) => {
    const actor = await callerNow(event);
    if (isRefusal(actor)) return actor;
    const issued = await rules.rotateKey(store, actor, wish, clock());
    return isRefusal(issued) ? issued : shown(issued);
  },
  revoke: async (event: APIGatewayProxyEvent, id: string) => {
    const actor = await callerNow(event);
    return isRefusal(actor) ? actor : rules.revokeKey(store, actor, id, clock());
  },
};

/** The caller's own organization in the environment of the credential. */
export const ownOrganization = async (actor: Actor) => {
  const organization = await readOrganization(table, actor.organizationId);
  return organization
    ? organizationView(organization, actor.env)
    : refuse('NOT_FOUND', 'There is no such organization.');
};

/** The people of the caller's organization. */
export const ownAccounts = async (actor: Actor, page: Page) => {
  const { items, total } = await listAccounts(table, actor.organizationId, page);
  return { items: items.map(accountView), total };
};

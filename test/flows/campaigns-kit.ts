import { expect, vi } from 'vitest';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Messaging, Tenant } from '../support/api.ts';

/** How long a campaign may take. */
export const WAIT = { timeout: 60_000, interval: 200 };
export const message = { channel: 'sms', text: 'Oi {{contact.name|amigo}}!' };

/** Contacts whose phones end so; every second has a name. */
export const people = async ({ test: client }: Tenant, endings: readonly string[], fields: object = {}) => {
  const ids: string[] = [];
  for (const [at, ending] of endings.entries()) {
    const name = at % 2 === 0 ? { name: `Ana ${at}` } : {};
    const { body, status, text } = await client.post('/contacts', {
      phone: `+55119${String(8000 + at)}${ending}`,
      ...name,
      ...fields,
    });
    expect(status, text).toBe(201);
    ids.push(body.id);
  }
  return ids;
};
export const listOf = async (
  { test: client }: Tenant,
  contactIds: readonly string[],
  name = 'Todos',
): Promise<string> => {
  const { body } = await client.post('/v2/lists', { name });
  expect((await client.post(`/v2/lists/${body.id}/members`, { contactIds })).status).toBe(200);
  return body.id;
};
export const create = async ({ test: client }: Tenant, fields: object) => {
  const { body, status, text } = await client.post('/v2/campaigns', { name: 'Black Friday', message, ...fields });
  expect(status, text).toBe(201);
  return body;
};
export const move = async ({ test: client }: Tenant, id: string, operation: string, body: object = {}) => {
  const answer = await client.post(`/v2/campaigns/${id}/${operation}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
export const becomes = ({ test: client }: Tenant, id: string, fields: object) =>
  vi.waitFor(async () => expect((await client.get(`/v2/campaigns/${id}`)).body).toMatchObject(fields), WAIT);
/** The events of an organization, by default those of campaigns, with the reason of a pause. */
export const eventsRaised = async (
  messaging: Pick<Messaging, 'eventsOf'>,
  env: Environment,
  { id }: Tenant,
  types = /^campaign\./,
): Promise<string[]> =>
  (await messaging.eventsOf(env, id))
    .filter(({ type }) => types.test(type))
    .map(({ type, data }) =>
      [type, (data.pausedBy as { readonly reason: string } | undefined)?.reason].filter(Boolean).join(' '),
    );
export const recipientsOf = async ({ test: client }: Tenant, id: string, query: Record<string, string> = {}) => {
  const { body, status, text } = await client.get(`/v2/campaigns/${id}/recipients`, query);
  expect(status, text).toBe(200);
  return body.items;
};

import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { saveProvider } from '../../infra/operator/provider-settings.ts';
import { newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import { newSession } from '../../shared/domain/access/sessions.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { PriceTable } from '../../shared/domain/pricing/prices.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { sessionStore } from '../../shared/storage/access/sessions.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { accepted } from '../support/accepted.ts';
import { type Answer, apiClient, type Client, type Messaging, type Tenant } from '../support/api.ts';

/** The header of an idempotency key: a new one, or the given one. */
export const keyed = (key: string = randomUUID()) => ({ 'idempotency-key': key });

/** How long the service may take for what it does in the background. */
export const PATIENCE = { timeout: 45_000, interval: 150 };

/** Waits until a resource has these fields. */
export const becomes = (client: Client, path: string, fields: object, patience = PATIENCE) =>
  vi.waitFor(async () => expect((await client.get(path)).body).toMatchObject(fields), patience);

/**
 * Calls until it is refused with 401, and answers when the last call before was made, at the earliest `since`: what a slow machine takes for
 * calls is no time in which a credential was good.
 */
export const lastServedAt = async (call: () => Promise<Pick<Answer, 'status'>>, since: number): Promise<number> => {
  let servedAt = since;
  const isRefused = async () => {
    const requestedAt = Date.now();
    const { status } = await call();
    if (status !== 401) servedAt = requestedAt;
    expect(status).toBe(401);
  };
  await vi.waitFor(isRefused, { timeout: 120_000, interval: 500 });
  return servedAt;
};

export const walletOf = async (client: Client) => (await client.get('/v2/wallet')).body;
export const balanceOf = async (client: Client): Promise<number> => (await walletOf(client)).balanceCoins;

export const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);
export const kindsOf = (items: readonly { kind: string }[]): string[] => items.map(({ kind }) => kind);

/** Creates a contact and opts it out; answers its id. */
export const optedOut = async (client: Client, fields: object): Promise<string> => {
  const { id } = (await client.post('/contacts', fields)).body;
  expect((await client.post(`/contacts/${id}/opt-out`, { reason: 'asked' })).status).toBe(200);
  return id;
};

let numbers = 0;
/** Connects a WhatsApp number of the sandbox; answers its id. */
export const connectNumber = async (client: Client, wabaId = '102290129340398'): Promise<string> => {
  const phoneNumberId = `99${String(++numbers).padStart(6, '0')}1000`;
  return (await client.post('/numbers', { phoneNumberId, wabaId, accessToken: 'token' })).body.id;
};

/** Submits a WhatsApp template, which the sandbox approves. */
export const approve = async (client: Client, id: string): Promise<void> =>
  expect((await client.post(`/v2/templates/${id}/submit`, {})).body).toMatchObject({ status: 'approved' });

/** Creates a WhatsApp template with this text, of a number of its own; answers its id. */
export const draftTemplate = async (client: Client, text: string, name = 'aviso'): Promise<string> => {
  const numberId = await connectNumber(client);
  const components = [{ type: 'BODY', payload: { text, example: { body_text: [['Ana']] } } }];
  const draft = { numberId, name, language: 'pt-BR', category: 'marketing', components };
  const answer = await client.post('/v2/templates', draft);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
};
/** The same, and approved. */
export const approvedTemplate = async (client: Client, text: string, name?: string): Promise<string> => {
  const id = await draftTemplate(client, text, name);
  await approve(client, id);
  return id;
};

/** Registers a device of the sandbox, under an app of its own. */
export const registerDevice = async (client: Client, token: string, fields: object = {}): Promise<void> => {
  const appId: string = (await client.post('/v2/push/apps', { name: 'Loja' })).body.id;
  expect((await client.post('/v2/push/tokens', { appId, token, platform: 'ios', ...fields })).status).toBe(200);
};

/** Sets up a provider in the live stage. */
export const setUpProvider = async (messaging: Messaging, channel: Channel, name: string, settings: object) => {
  await saveProvider(messaging, 'live', { channel, name, settings });
};

/** The messages that a provider's stand-in accepted; waits for those sent in the background. */
export const acceptedBy = <M extends { readonly messageId: string }>(
  standIn: { readonly messages: readonly M[] },
  { body }: Answer,
): Promise<M> =>
  vi.waitFor(() => {
    const found = standIn.messages.find(({ messageId }) => messageId === body.id);
    if (!found) throw new Error(`The provider never saw the message: ${JSON.stringify(body)}`);
    return found;
  }, PATIENCE);

/** Sets quiet hours for the hour before and after now. */
export const setQuietHours = async (client: Client, channels: readonly Channel[]) => {
  const clock = (byMs: number) => new Date(Date.now() + byMs).toISOString().slice(11, 16);
  const body = { inicio: clock(-3600_000), fim: clock(3600_000), timeZone: 'UTC', channels };
  expect(await client.call('PUT', '/v2/organizations/me/quiet-hours', { body })).toMatchObject({ status: 200, body });
  return body;
};

type Band = readonly [upTo: number | null, coins: number];
/** A price table of SMS: the bands of premium, one price for otp, and R$ 0.02 for a reply. */
export const smsPrices = (premium: readonly Band[], otp: number): PriceTable => {
  const row = (route: string, unit: 'segment' | 'reply', bands: readonly Band[]) =>
    ({ channel: 'sms', route, unit, bands: bands.map(([upTo, coins]) => ({ upTo, coins })) }) as const;
  return [
    row('premium', 'segment', premium),
    row('otp', 'segment', [[null, otp]]),
    row('reply', 'reply', [[null, 200]]),
  ];
};

/** Stores an SMS reply in the test stage, as a provider's callback does. */
export const storeReply = async (
  messaging: Messaging,
  { id: organizationId }: Tenant,
  inReplyTo: string,
  fields: Partial<ReplyRecord> = {},
): Promise<ReplyRecord> => {
  const { createdAt = Date.now() } = fields;
  const reply: ReplyRecord = {
    id: newId('reply'),
    organizationId,
    env: 'test',
    inReplyTo: inReplyTo as Id<'message'>,
    route: 'premium',
    from: '+5511999990005',
    body: 'Sim',
    coins: asCoins(200),
    receivedAt: createdAt,
    createdAt,
    ...fields,
  };
  const event = newEvent({ type: 'sms.received', organizationId, env: 'test', createdAt, data: { id: reply.id } });
  await keepReply(messaging.tables.test, reply, event);
  return reply;
};

/** The rows of a table-driven test: each name with each of its values. */
export const pairsOf = (table: Readonly<Record<string, readonly string[]>>): [name: string, value: string][] =>
  Object.entries(table).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));

/** A client with an admin's session in the test environment. */
export const anAdmin = async (messaging: Messaging, { id: organizationId }: Pick<Tenant, 'id'>) => {
  const email = `admin-${organizationId}@example.com`;
  const emailHash = personHash(await messaging.vault('test', 'people'), email);
  const person = { organizationId, name: 'Bia', email, emailHash, role: 'admin', status: 'active' } as const;
  const account = newAccount(person, Date.now());
  await accountStore(messaging.tables.test, { byOperator: true }).create(account, undefined);
  const session = accepted(newSession(account, 'test', Date.now()));
  await sessionStore(messaging.tables.test).open(session, account);
  return { accountId: account.id, client: apiClient(messaging.url, session.secret.text) };
};

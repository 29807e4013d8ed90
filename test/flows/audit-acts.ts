import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { AuditAction } from '../../shared/domain/audit/entry.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { suppressionStore } from '../../shared/storage/contacts/email-addresses.ts';
import { type Answer, apiClient, type Messaging, type Tenant } from '../support/api.ts';
import { vapidKeys } from '../support/providers/webpush-stand-in.ts';
import { mailedToken } from './mailed-link.ts';
import { PATIENCE } from './support.ts';

/** Stands in every value that is sent: where it is found, what was sent got. */
export const MARK = 'Marcado77';
const MARKED_PHONE = '+5511999990005';

/** The operations whose calls are entered, with their act. */
export const ENTERED: Readonly<Record<string, AuditAction>> = {
  'accounts.create': 'account.invited',
  'accounts.change': 'account.changed',
  'accounts.suspend': 'account.suspended',
  'accounts.activate': 'account.activated',
  'accounts.delete': 'account.deleted',
  'sessions.delete': 'session.ended',
  'campaigns.create': 'campaign.created',
  'campaigns.update': 'campaign.changed',
  'campaigns.start': 'campaign.started',
  'campaigns.pause': 'campaign.paused',
  'campaigns.resume': 'campaign.resumed',
  'campaigns.cancel': 'campaign.cancelled',
  'campaigns.delete': 'campaign.deleted',
  'journeys.create': 'journey.created',
  'journeys.change': 'journey.changed',
  'journeys.activate': 'journey.activated',
  'journeys.pause': 'journey.paused',
  'journeys.rotate-secret': 'journey.secret_rotated',
  'journeys.archive': 'journey.archived',
  'journeys.delete': 'journey.deleted',
  'keys.create': 'key.created',
  'keys.change': 'key.changed',
  'keys.rotate': 'key.rotated',
  'keys.revoke': 'key.revoked',
  'companies.delete': 'company.deleted',
  'companies.set-attributes': 'company_attributes.changed',
  'contacts.delete': 'contact.deleted',
  'contacts.merge': 'contact.merged',
  'contacts.reveal-documents': 'contact.documents_revealed',
  'numbers.connect': 'number.connected',
  'numbers.change': 'number.changed',
  'numbers.change-profile': 'number.changed',
  'numbers.disconnect': 'number.disconnected',
  'operator.redrive-dead-letters': 'dead_letters.redriven',
  'operator.retry-work': 'work.retried',
  'operator.change-breaker': 'breaker.reset',
  'organization.change': 'organization.changed',
  'organization.set-quiet-hours': 'quiet_hours.changed',
  'organization.set-destinations': 'destinations.changed',
  'push.create-app': 'push_app.created',
  'push.change-app': 'push_app.changed',
  'push.delete-app': 'push_app.deleted',
  'senders.create': 'sender.created',
  'senders.change': 'sender.changed',
  'senders.delete': 'sender.deleted',
  'senders.verify': 'sender.verified',
  'smpp.create': 'smpp_account.created',
  'smpp.change': 'smpp_account.changed',
  'smpp.rotate-password': 'smpp_account.password_rotated',
  'smpp.delete': 'smpp_account.deleted',
  'wallet.change': 'wallet.changed',
  'webhooks.create': 'webhook.created',
  'webhooks.change': 'webhook.changed',
  'webhooks.delete': 'webhook.deleted',
  'webhooks.replay': 'webhook.replayed',
  'webhooks.replay-delivery': 'webhook.replayed',
  'webhooks.rotate-secret': 'webhook.secret_rotated',
};

/** The other operations that change something: they are recorded in their areas' own lists. */
export const NOT_ENTERED = [
  /^(messages|v1|bulk|sms|rcs|email|push)\.(cancel|force|resend|create|send|preview|open-dispatch)$/,
  /^(media|templates|flows|email-templates)\./,
  /^companies\.(create|change|import)$/,
  /^(pipelines|cards|card-files|activities)\./,
  /^contacts\.(create|change|import|opt-in|opt-out)$/,
  /^(contact-imports|export-jobs|lists|segments)\./,
  /^campaigns\.preview$/,
  /^journeys\.(simulate|enter|cancel-run)$/,
  /^events\.record$/,
  /^push\.(register-token|opt-out-token)$/,
  /^numbers\.sync$/,
  /^webhooks\.test$/,
  /^sessions\.request-link$/,
  /^ai\.report$/,
];

type Operator = (name: string, options: Readonly<Record<string, unknown>>) => Promise<ReturnType<typeof JSON.parse>>;
export interface Stage {
  readonly messaging: Messaging;
  readonly owner: Tenant;
  /** An endpoint that answers 200. */
  readonly url: string;
  readonly operator: Operator;
}

/** The operator's commands on senders: pending ones are reassigned, and deleted ones are released. */
const useSenderCommands = async ({ messaging, owner, operator }: Stage): Promise<void> => {
  const value = `${MARK}@pending.example`.toLowerCase();
  await owner.test.post('/v2/senders', { channel: 'email', value });
  const { id: organization } = await messaging.tenant();
  await operator('sender assign', { env: 'test', organization, channel: 'email', value });
  const own = { env: 'test', channel: 'email', value: `${MARK}@own.example` };
  const { id } = await operator('sender assign', { ...own, organization: owner.id });
  await owner.test.call('DELETE', `/v2/senders/${id}`);
  await operator('sender release', own);
};

/** Lifts the suppression of an address. */
const useSuppression = async ({ messaging, owner, operator }: Stage): Promise<void> => {
  const email = `${MARK}@bounced.example`;
  const hash = (await messaging.vault('test', 'recipients')).blindIndex(owner.id, 'email', email);
  await suppressionStore(messaging.tables.test).suppress(owner.id, hash, Date.now() + 3_600_000);
  await operator('suppression lift', { organization: owner.id, env: 'test', email });
};

/** Adds a person, opens a session of it and suspends it. */
const usePeopleCommands = async ({ owner, operator }: Stage): Promise<void> => {
  const { id } = await operator('account create', {
    organization: owner.id,
    name: MARK,
    email: `${MARK}@staff.example`,
    role: 'viewer',
  });
  await operator('session create', { account: id, env: 'test' });
  await operator('account set', { id, status: 'suspended' });
};

/** Makes a key and revokes it. */
const useKeyCommands = async ({ owner, operator }: Stage): Promise<void> => {
  const { id } = await operator('key create', { organization: owner.id, env: 'test', scopes: 'sms:read', name: MARK });
  await operator('key revoke', { id, onlyThis: true });
};

/** Does the operator's acts in the test stage. */
const useOperator = async (stage: Stage): Promise<void> => {
  const { operator, messaging } = stage;
  const { id: organization } = stage.owner;
  const env = 'test';
  await operator('organization set', { organization, env, smsPerSecond: '5' });
  await operator('wallet credit', { organization, env, coins: '5', description: MARK });
  await operator('sender assign', { env, channel: 'sms', value: MARK, organization });
  await useSenderCommands(stage);
  await useKeyCommands(stage);
  await usePeopleCommands(stage);
  await useSuppression(stage);
  const file = join(messaging.dataDir, 'prices-of-test.json');
  await writeFile(file, JSON.stringify(DEFAULT_PRICES));
  await operator('prices set', { env, file });
  const twilio = { accountSid: `AC${'0'.repeat(32)}`, authToken: MARK, from: MARKED_PHONE };
  const provider = { env, channel: 'sms', provider: 'twilio' };
  await operator('provider set', { ...provider, settings: JSON.stringify(twilio) });
  await operator('routes set', { env, default: true, channel: 'sms', route: 'otp', providers: 'twilio' });
  await operator('provider remove', provider);
};

type Did = (operation: string, answering: Promise<Answer>) => Promise<Answer['body']>;

/** Invites a person, who signs in, is signed out, changed, suspended, let in again and removed. */
const usePeople = async ({ messaging, owner: { test: client } }: Stage, did: Did): Promise<void> => {
  const call = (method: string, path: string, body?: unknown) => client.call(method, path, { body });
  const person = { name: MARK, email: `${MARK}@people.example`, role: 'viewer' };
  let id = '';
  const token = await mailedToken(messaging, async () => {
    ({ id } = await did('accounts.create', client.post('/v2/accounts', person)));
  });
  const query = { env: 'test' };
  const opened = await messaging.anonymous.call('POST', '/sessions', { query, body: { token } });
  const session = apiClient(messaging.url, opened.body.token);
  const { items } = (await session.get('/v2/sessions')).body;
  await did('sessions.delete', session.call('DELETE', `/v2/sessions/${items[0].id}`));
  await did('accounts.change', call('PATCH', `/v2/accounts/${id}`, { name: `${MARK} 2` }));
  await did('accounts.suspend', call('POST', `/v2/accounts/${id}/suspend`));
  await did('accounts.activate', call('POST', `/v2/accounts/${id}/activate`, {}));
  await did('accounts.delete', call('DELETE', `/v2/accounts/${id}`));
};

/** Exports a contact, reveals its documents as a person, merges another into it, and deletes it. */
const useContacts = async ({ messaging, owner, operator }: Stage, did: Did): Promise<void> => {
  const body = { phone: MARKED_PHONE, name: MARK, cpf: '529.982.247-25' };
  const { id } = (await owner.test.post('/contacts', body)).body;
  expect((await owner.test.get(`/contacts/${id}/export`)).status).toBe(200);
  const person = { organization: owner.id, name: MARK, email: `${MARK}@admins.example`, role: 'admin' };
  const account = await operator('account create', person);
  const { token } = await operator('session create', { account: account.id, env: 'test' });
  const session = apiClient(messaging.url, token);
  await did('contacts.reveal-documents', session.call('POST', `/v2/contacts/${id}/documentos/revelar`));
  const other = (await owner.test.post('/contacts', { phone: '+5511999990006', name: MARK })).body;
  await did('contacts.merge', owner.test.post(`/contacts/${id}/merge`, { contactId: other.id }));
  await did('contacts.delete', owner.test.call('DELETE', `/contacts/${id}`));
};

/** Defines the attributes of companies, and deletes one. */
const useCompanies = async ({ owner: { test: client } }: Stage, did: Did): Promise<void> => {
  const defs = [{ key: MARK, label: MARK, type: 'string' }];
  const path = '/v2/organizations/me/company-attribute-defs';
  await did('companies.set-attributes', client.call('PUT', path, { body: { defs } }));
  const company = { nome: MARK, endereco: MARK, cnpj: '12.ABC.345/01DE-35', atributos: { [MARK]: MARK } };
  const { id } = (await client.post('/v2/companies', company)).body;
  await did('companies.delete', client.call('DELETE', `/v2/companies/${id}`));
};

/** Creates a journey, has it run, and archives it; deletes another one. */
const useJourneys = async ({ owner: { test: client }, url }: Stage, did: Did): Promise<void> => {
  const hook = { chave: 'erp', tipo: 'webhook', rotulo: MARK, config: { url: `${url}?${MARK}` } };
  const gatilho = { tipo: 'evento', nome: MARK };
  const body = { name: MARK, gatilho, passos: [hook], ligacoes: [], reentrada: 'nunca' };
  const { id } = await did('journeys.create', client.post('/v2/journeys', body));
  await did('journeys.change', client.call('PATCH', `/v2/journeys/${id}`, { body: { name: `${MARK} 2` } }));
  await did('journeys.activate', client.post(`/v2/journeys/${id}/activate`, {}));
  await did('journeys.pause', client.post(`/v2/journeys/${id}/pause`, {}));
  await did('journeys.rotate-secret', client.post(`/v2/journeys/${id}/rotate-secret`, { sobreposicaoHoras: 1 }));
  await did('journeys.archive', client.post(`/v2/journeys/${id}/archive`, {}));
  const draft = (await client.post('/v2/journeys', body)).body;
  await did('journeys.delete', client.call('DELETE', `/v2/journeys/${draft.id}`));
};

/** Starts, pauses, resumes and cancels a campaign; deletes another one. */
const useCampaigns = async ({ owner: { test: client } }: Stage, did: Did): Promise<void> => {
  const contact = (await client.post('/contacts', { phone: '+5511999990007', name: MARK })).body;
  const message = { channel: 'sms', text: MARK };
  // One recipient a minute: it runs until it is cancelled.
  const other = (await client.post('/contacts', { phone: '+5511999990107', name: MARK })).body;
  const body = { name: MARK, message, audience: { contactIds: [contact.id, other.id] }, perMinute: 1 };
  const { id } = await did('campaigns.create', client.post('/v2/campaigns', body));
  await did('campaigns.update', client.call('PATCH', `/v2/campaigns/${id}`, { body: { name: `${MARK} 2` } }));
  await did('campaigns.start', client.post(`/v2/campaigns/${id}/start`, {}));
  await did('campaigns.pause', client.post(`/v2/campaigns/${id}/pause`, {}));
  await did('campaigns.resume', client.post(`/v2/campaigns/${id}/resume`, { maxCoins: 100_000 }));
  await did('campaigns.cancel', client.post(`/v2/campaigns/${id}/cancel`, {}));
  const draft = (await client.post('/v2/campaigns', body)).body;
  await did('campaigns.delete', client.call('DELETE', `/v2/campaigns/${draft.id}`));
};

/** Every act of an operator in a session. */
const useStage = async ({ messaging, owner, operator }: Stage, did: Did): Promise<void> => {
  const person = { organization: owner.id, name: MARK, email: `${MARK}@operators.example`, role: 'operator' };
  const account = await operator('account create', person);
  const { token } = await operator('session create', { account: account.id, env: 'test' });
  const session = apiClient(messaging.url, token);
  for (const path of ['queues', 'queues/push/dead-letters', `organizations/${owner.id}`])
    expect((await session.get(`/v2/operator/${path}`)).status).toBe(200);
  const breaker = KEYS.breaker('sms', 'twilio', 'premium');
  await messaging.tables.test.putMany([{ ...breaker, openUntil: Date.now() + 60_000 }]);
  const place = { channel: 'sms', provider: 'twilio', route: 'premium' };
  for (const action of ['probe', 'reset'])
    await did('operator.change-breaker', session.post('/v2/operator/breakers', { ...place, action }));
  await did('operator.retry-work', session.post('/v2/operator/due-work/set-aside', { kind: 'run_job' }));
  await did('operator.redrive-dead-letters', session.post('/v2/operator/queues/push/dead-letters', { ids: ['none'] }));
};

/** Does every act in the test stage, with the mark in every text. Answers the request of each operation's last call. */
export const useEverything = async (stage: Stage): Promise<ReadonlyMap<string, string>> => {
  const {
    url,
    messaging,
    owner: { test: client },
  } = stage;
  const requests = new Map<string, string>();
  const did: Did = async (operation, answering) => {
    const { status, headers, body } = await answering;
    expect({ operation, status, body }).toMatchObject({ operation, status: expect.toBeOneOf([200, 201, 202, 204]) });
    requests.set(operation, headers.get('x-request-id') ?? '');
    return body;
  };
  const call = (method: string, path: string, body?: unknown) => client.call(method, path, { body });
  await useOperator(stage);
  await useStage(stage, did);
  await usePeople(stage, did);
  await useContacts(stage, did);
  await useCompanies(stage, did);
  await useJourneys(stage, did);
  await useCampaigns(stage, did);

  const quiet = { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['sms'] };
  await did('organization.set-quiet-hours', call('PUT', '/v2/organizations/me/quiet-hours', quiet));
  await did('organization.change', call('PATCH', '/v2/organizations/me', { name: MARK }));
  const open = { sms: { mode: 'only', countries: ['BR'] } };
  await did('organization.set-destinations', call('PUT', '/v2/organizations/me/destinations', open));
  await did('wallet.change', call('PATCH', '/v2/wallet', { lowBalanceCoins: 5 }));

  const masking = await messaging.limited(client, ['sms:read']);
  await masking.get('/v2/sms/messages', { phone: MARKED_PHONE });

  const sender = await did(
    'senders.create',
    client.post('/v2/senders', { channel: 'email', value: `${MARK}@x.example` }),
  );
  await did('senders.verify', call('POST', `/v2/senders/${sender.id}/verify`));
  await did('senders.change', call('PATCH', `/v2/senders/${sender.id}`, { isDefault: true }));
  await did('senders.delete', call('DELETE', `/v2/senders/${sender.id}`));

  const key = await did('keys.create', client.post('/v2/api-keys', { name: MARK, scopes: ['sms:read'] }));
  await did('keys.change', call('PATCH', `/v2/api-keys/${key.id}`, { name: `${MARK} 2` }));
  await did('keys.rotate', client.post(`/v2/api-keys/${key.id}/rotate`, { overlapHours: 2 }));
  await did('keys.revoke', call('DELETE', `/v2/api-keys/${key.id}`));

  const smpp = await did('smpp.create', client.post('/v2/smpp/accounts', { name: MARK, route: 'otp' }));
  await did('smpp.change', call('PATCH', `/v2/smpp/accounts/${smpp.id}`, { name: `${MARK} 2` }));
  await did('smpp.rotate-password', call('POST', `/v2/smpp/accounts/${smpp.id}/rotate-password`));
  await did('smpp.delete', call('DELETE', `/v2/smpp/accounts/${smpp.id}`));

  const app = await did('push.create-app', client.post('/v2/push/apps', { name: MARK, vapid: vapidKeys() }));
  await did('push.change-app', call('PATCH', `/v2/push/apps/${app.id}`, { name: `${MARK} 2` }));
  await did('push.delete-app', call('DELETE', `/v2/push/apps/${app.id}`));

  const connection = { phoneNumberId: '9977001000', wabaId: '77001', accessToken: MARK };
  const number = await did('numbers.connect', client.post('/numbers', connection));
  await did('numbers.change', call('PATCH', `/numbers/${number.id}`, { accessToken: `${MARK}2` }));
  await did('numbers.change-profile', call('PATCH', `/numbers/${number.id}/profile`, { about: MARK }));
  await did('numbers.disconnect', call('DELETE', `/numbers/${number.id}`));

  const headers = [{ key: 'X-Key', value: MARK }];
  const subscription = { url: `${url}?${MARK}`, events: ['sms.delivered'], description: MARK, headers };
  const { id } = await did('webhooks.create', client.post('/webhooks', subscription));
  await did('webhooks.change', call('PATCH', `/webhooks/${id}`, { description: `${MARK} 2` }));
  await did('webhooks.rotate-secret', client.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 1 }));
  const { body: delivery } = await client.post(`/webhooks/${id}/test`, { event: 'sms.delivered' });
  const delivered = () => client.get(`/webhooks/${id}/deliveries/${delivery.id}`);
  const settled = async () => expect((await delivered()).body.status).toBe('delivered');
  await vi.waitFor(settled, PATIENCE);
  await did('webhooks.replay-delivery', client.post(`/webhooks/${id}/deliveries/${delivery.id}/replay`, {}));
  // A range replays none that is on its way.
  await vi.waitFor(settled, PATIENCE);
  const range = { from: new Date(Date.now() - 3_600_000), to: new Date() };
  await did('webhooks.replay', client.post(`/webhooks/${id}/replay`, range));
  await did('webhooks.delete', call('DELETE', `/webhooks/${id}`));
  return requests;
};

import { expect } from 'vitest';
import type { OperationContract } from '../../../shared/contracts/define-operation.ts';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import type { Answer, Client, Messaging, Tenant } from '../../support/api.ts';
import { deliver } from '../../support/providers/stand-in.ts';
import type { Receiver } from '../../support/receiver.ts';
import { pathNames, pathWith, queryNames } from '../../support/requests.ts';
import { CANARIES } from './values.ts';

const { text, url, phone, email, name, live: recipient } = CANARIES;

/** The service under test, and what its callers got: every problem document, and issued secrets. */
export interface Watched {
  readonly messaging: Messaging;
  readonly problems: { readonly path: string; readonly body: string }[];
  readonly secrets: Record<string, string>;
  /** Endpoints of subscriptions; those of `unmasked` were made by a caller who may see addresses. */
  readonly receivers: { readonly receiver: Receiver; readonly unmasked: boolean }[];
}

/** Records an answer if it is a problem, without `instance`, which is the caller's own path. */
export const noted = ({ problems }: Watched, path: string, answer: Answer): Answer => {
  const { instance: _, ...body } = answer.status >= 400 ? (answer.body ?? { text: answer.text }) : {};
  if (answer.status >= 400) problems.push({ path: `${answer.status} ${path}`, body: JSON.stringify(body) });
  return answer;
};
/** Posts callbacks and records the problems that answer them; the statuses. */
export const postAll = async ({ problems }: Watched, provider: string, callbacks: readonly CallbackRequest[]) => {
  const statuses: number[] = [];
  for (const callback of callbacks) {
    const answer = await deliver(callback);
    const body = (await answer.text()).replace(/"instance":"[^"]*"/, '');
    statuses.push(answer.status);
    if (answer.status >= 400) problems.push({ path: `${answer.status} callback of ${provider}`, body });
  }
  return statuses;
};

type Parts = Parameters<Client['call']>[2];
const call = async (watched: Watched, client: Client, method: string, path: string, parts: Parts = {}) =>
  noted(watched, `${method} ${path}`, await client.call(method, path, parts));

/** A body whose strings are canaries, with an unknown field. */
const poisoned = {
  [email]: name,
  to: email,
  body: { [name]: text },
  route: phone,
  phone: email,
  name: [phone],
  email: name,
  cpf: text,
  reason: { phone },
  source: [email],
  scopes: [phone],
  lowBalanceCoins: phone,
  metadata: { [email]: { phone } },
  attributes: { [name]: [[phone]] },
  overlapHours: email,
};

/** Calls an operation with invalid requests, with canaries in each part. */
export const misuse = async (watched: Watched, client: Client, operation: OperationContract) => {
  const { method } = operation;
  const good = pathWith(
    operation,
    operation.id === 'callbacks.receive' ? { provider: 'twilio', kind: 'replies' } : 'none',
  );
  const attempts: [string, Parts][] = [
    [good, { headers: { authorization: `Bearer svc_live_${text.replaceAll(/\W/g, '')}${'x'.repeat(20)}` } }],
    [good, { headers: { 'idempotency-key': `${email} ${phone}` }, ...(method === 'GET' ? {} : { body: poisoned }) }],
    ...queryNames(operation).map((parameter): [string, Parts] => [
      good,
      { query: { [parameter]: `${email} ${phone}` } },
    ]),
    ...(pathNames(operation).length > 0 ? ([[pathWith(operation, phone), {}]] as [string, Parts][]) : []),
    [good, { query: { [email]: phone } }],
  ];
  if (method !== 'GET') {
    const bodies = [poisoned, `{"to":"${recipient}","name":${name}`, `"${text}"`, JSON.stringify([phone, email])];
    attempts.push(...bodies.map((body): [string, Parts] => [good, { body, headers: { 'idempotency-key': 'misuse' } }]));
    attempts.push([good, { body: `${text}\u0000${phone}`, headers: { 'content-type': `text/plain; name="${name}"` } }]);
  }
  for (const [path, parts] of attempts) await call(watched, client, method, path, parts);
};

/** Sends a person's data to every operation that takes it. */
export const useContacts = async (watched: Watched, { test: client }: Tenant) => {
  const body = {
    phone,
    name,
    email,
    cpf: CANARIES.cpf,
    cnpj: CANARIES.cnpj,
    nascimento: CANARIES.birth,
    attributes: { nota: CANARIES.attribute },
    optIn: { status: 'granted', source: 'checkout', ip: CANARIES.ip, userAgent: CANARIES.userAgent },
  };
  const { status, body: contact } = await call(watched, client, 'POST', '/contacts', { body });
  expect(status).toBe(201);
  expect((await call(watched, client, 'POST', '/contacts', { body })).status).toBe(409);
  await call(watched, client, 'GET', `/contacts/${contact.id}`);
  const send = { to: phone, body: text, route: 'premium', contactId: contact.id };
  expect(noted(watched, 'send', await client.send(send)).status).toBe(201);
  await call(watched, client, 'POST', `/contacts/${contact.id}/opt-out`, { body: { reason: 'asked by phone' } });
  expect(noted(watched, 'send to an opted out contact', await client.send(send)).status).toBe(422);
  await call(watched, client, 'POST', `/contacts/${contact.id}/opt-in`, {
    body: { source: 'checkout', ip: CANARIES.ip, userAgent: CANARIES.userAgent },
  });
};

/** Sends in the sandbox with several outcomes, lists by recipient, and follows a link. */
export const useSandbox = async (watched: Watched, { id, test: client }: Tenant) => {
  const { messaging } = watched;
  const tracked = { to: CANARIES.delivered, body: `${text} ${url}`, trackLinks: true };
  const sent = noted(watched, 'send', await client.send(tracked, 'same-key'));
  expect(sent.status).toBe(201);
  await client.send(tracked, 'same-key');
  noted(watched, 'send with a used key', await client.send({ ...tracked, to: phone }, 'same-key'));
  for (const to of [CANARIES.undelivered, CANARIES.noCredit])
    noted(watched, 'send', await client.send({ to, body: text }));
  await call(watched, client, 'GET', '/v2/sms/messages', { query: { phone: CANARIES.delivered } });
  await call(watched, client, 'GET', `/v2/sms/messages/${sent.body.id}`);
  await call(watched, client, 'POST', '/v2/sms/preview', { body: { body: `${text} ${url}`, route: 'premium' } });
  const link = (await messaging.rowsOf('test', id)).find(({ pk }) => pk.startsWith('LINK#'));
  const followed = await call(watched, messaging.anonymous, 'GET', `/r/${String(link?.code)}`, {
    headers: { referer: url, 'user-agent': CANARIES.userAgent },
  });
  expect(followed.headers.get('location')).toBe(url);
};

/** Creates and rotates keys, whose secrets are shown once and must be stored nowhere. */
export const useKeys = async (watched: Watched, { test: client }: Tenant) => {
  const { secrets } = watched;
  const { body } = await call(watched, client, 'POST', '/v2/api-keys', {
    body: { name: 'Checkout', scopes: ['sms:read'] },
  });
  secrets.createdKey = body.key;
  secrets.rotatedKey = (await call(watched, client, 'POST', `/v2/api-keys/${body.id}/rotate`)).body.key;
  await call(watched, client, 'DELETE', `/v2/api-keys/${body.id}`);
};

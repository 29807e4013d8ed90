import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { COMMON_PROBLEMS, type OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS } from '../../shared/domain/core/errors.ts';
import { MESSAGE_SORT_KEY } from '../../shared/storage/access-patterns.ts';
import { startMessaging } from '../support/api.ts';
import { chanceOf } from '../support/chance.ts';
import { checkMoney } from '../support/money.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { type WireAnswer, wireClient } from '../support/wire.ts';
import { type FuzzCase, type FuzzWorld, nextCase } from './fuzz/cases.ts';

/** The same in every run, so that a failure comes from a change; `SEED=…` tries others. */
const SEED = Number(process.env.SEED ?? 20_261_121);
/** About what a quiet machine with two processors sends in a minute. */
const REQUESTS = shareOf(15_000);
const CONCURRENCY = 6;
/** The gateway may answer these for any operation. */
const OF_THE_GATEWAY = [400, 404, 405, 413];
const SLOW_MS = 1_000;
/** Operations with the largest inputs are tried more often. */
const OFTEN = new Set(['sms.send', 'rcs.send', 'sms.preview', 'sms.list', 'contacts.create']);
/** Operations that store one message, also when a provider refuses what was reserved: the answer then names it. */
const SENDS = new Set(['sms.send', 'rcs.send', 'email.send', 'push.send', 'v1.send', 'messages.create']);
/** Operations that answer with the sandbox's refusal for certain endings (docs/spec/sends.md#sandbox-endings). */
const PLAYS_CREDIT = new Set(['sms.send', 'rcs.send']);
const isMade = (status: number, text: string): boolean =>
  status === 201 || status === 202 ? text.includes('"replayed":false') : status !== 409 && text.includes('"messageId"');

const messaging = await use(startMessaging());
const tenant = await messaging.tenant();
await messaging.credit('test', tenant.id, 1_000_000_000_000);
const { body: message } = await tenant.test.send();
const { body: contact } = await tenant.test.post('/contacts', { phone: '+5511999990005' });
const { body: key } = await tenant.test.post('/v2/api-keys', { name: 'Fuzzed', scopes: ['sms:read'] });
const { key: weak } = await messaging.limited(tenant.test, ['sms:read', 'wallet:read']);
const world: FuzzWorld = {
  operations: [...OPERATIONS, ...OPERATIONS.filter(({ id }) => OFTEN.has(id)).flatMap((one) => Array(4).fill(one))],
  keys: [tenant.test.key, tenant.live.key, weak, undefined],
  ids: [message.id, contact.id, key.id, 'rpl_000000000000000000000', 'not-found', 'twilio', 'receipts'],
};

/** Each operation with the addresses that it answers, for any parameters. */
const ADDRESSES = OPERATIONS.map((contract) => ({
  contract,
  address: new RegExp(`^${contract.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));
/** The declared statuses of every operation with this method and address: a mutated path may be another operation's. */
const statusesOf = ({ contract, method, target }: FuzzCase): ReadonlySet<number> => {
  const path = target.split('?')[0] ?? '';
  const operations = ADDRESSES.filter(
    (one) => one.contract.method === method && (one.contract.path === contract.path || one.address.test(path)),
  );
  const declared = operations.flatMap(({ contract: one }: { contract: OperationContract }) => [
    ...Object.keys(one.responses).map(Number),
    ...[...(one.errors ?? []), ...COMMON_PROBLEMS].map((name) => PROBLEMS[name].status),
  ]);
  return new Set([...OF_THE_GATEWAY, ...declared]);
};

const FIELDS = {
  type: 'string',
  title: 'string',
  status: 'number',
  detail: 'string',
  instance: 'string',
  code: 'string',
  requestId: 'string',
};
const problemFault = ({ status, headers, text }: WireAnswer): string | undefined => {
  if (headers['content-type'] !== 'application/problem+json') return `an error as ${headers['content-type']}`;
  const body = JSON.parse(text) as Record<string, unknown>;
  for (const [field, type] of Object.entries(FIELDS))
    if (typeof body[field] !== type) return `a problem whose ${field} is no ${type}`;
  if (body.status !== status) return 'a problem of another status';
  return body.requestId === headers['x-request-id'] ? undefined : 'a problem of another request';
};

/** The fault of a response; undefined if there is none. */
const faultOf = (sent: FuzzCase, answer: WireAnswer): string | undefined => {
  const { status, text, headers } = answer;
  if (!statusesOf(sent).has(status)) return `status ${status}, which the operation does not declare`;
  const outOfCredit = status === 503 && PLAYS_CREDIT.has(sent.contract.id) && sent.body?.includes('0114');
  // Nothing is set up in live here, and the answer names what is missing.
  const unconnected =
    status === 502 && sent.contract.id === 'numbers.connect' && text.includes('no whatsapp provider is set up');
  if (status >= 500 && !outOfCredit && !unconnected) return `status ${status}`;
  if (Object.keys(headers).some((name) => name.startsWith('x-injected'))) return 'a header that the caller wrote';
  if (status < 400) return undefined;
  const withoutPath = JSON.stringify({ ...JSON.parse(text), instance: '' });
  if (withoutPath.includes(sent.canary)) return 'a problem that repeats a sent value';
  return problemFault(answer);
};

/** How many times as long as alone this process, which is the service's too, computes now that others have the processors: 1 where none has. */
const slowdown = (): number => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    const computedMs = (user + system) / 1_000;
    if (computedMs >= 50) return Math.max(1, (performance.now() - startedAt) / computedMs);
  }
};

const described = ({ method, target, headers, mutations, body }: FuzzCase) =>
  JSON.stringify({
    method,
    target: target.slice(0, 300),
    headers: headers.map((text) => text.slice(0, 80)),
    mutations,
    body: body?.subarray(0, 400).toString('latin1'),
  });

test(`no request gets an undeclared status, a 5xx, a slow answer or its own values back, or leaves rows that were not answered (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const chance = chanceOf(SEED);
  const wire = wireClient(messaging.url);
  const startedAt = Date.now();
  const statuses = new Map<number, number>();
  const made = { message: 1, contact: 1, apiKey: 4 };
  const faults: string[] = [];
  let sentCount = 0;

  const count = (sent: FuzzCase, { status, text }: WireAnswer) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const operation = OPERATIONS.find(({ path, method }) => path === sent.contract.path && method === sent.method)?.id;
    // The live stage has no money: it accepts only pushes without devices, which cost nothing.
    if (operation && SENDS.has(operation) && isMade(status, text) && !text.includes('"env":"live"')) made.message++;
    if (operation === 'contacts.create' && status === 201) made.contact++;
    if (operation === 'contacts.import' && status === 200) made.contact += JSON.parse(text).criados;
    if (sent.contract.id === 'contacts.delete' && status === 204) made.contact--;
    if (operation === 'keys.create' && status === 201) made.apiKey++;
  };
  /**
   * Of repeatable requests that were slow, those that are slow five times more, each without another beside it: a busy machine is slow at
   * everything, and a request waits for the largest of those beside it.
   */
  const slowOnes: { sent: FuzzCase; answer: WireAnswer }[] = [];
  const isSlow = async (sent: FuzzCase) => {
    for (let again = 0; again < 5; again++) if ((await wire.send(sent)).ms < SLOW_MS * slowdown()) return false;
    return true;
  };
  const addFault = (fault: string, { sent, answer }: { sent: FuzzCase; answer: WireAnswer }) =>
    faults.push(`${fault}: ${answer.text.slice(0, 600)} to ${described(sent)}`);
  const worker = async () => {
    while (sentCount < REQUESTS && faults.length < 5) {
      const sent = nextCase(world, chance, sentCount++);
      const answer = await wire.send(sent).catch((error: Error) => error);
      if (answer instanceof Error) {
        faults.push(`no answer (${answer.message}) to ${described(sent)}`);
        continue;
      }
      count(sent, answer);
      const fault = faultOf(sent, answer);
      if (fault) addFault(fault, { sent, answer });
      else if (answer.ms >= SLOW_MS && (sent.method === 'GET' || answer.status >= 400)) slowOnes.push({ sent, answer });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  for (const one of slowOnes) if (await isSlow(one.sent)) addFault(`${Math.round(one.answer.ms)} ms`, one);
  wire.close();
  console.log(
    `fuzz: seed ${SEED}, ${sentCount} requests in ${Math.round((Date.now() - startedAt) / 1000)} s, by status ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`,
  );

  expect(faults).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  await expectStored(made);
  expect((await messaging.anonymous.get('/health')).status).toBe(200);
  expect(readFileSync(join(messaging.dataDir, 'functions.log'), 'utf8')).not.toContain('zqcanary');
});

/** Quiet hours are fuzzed too, and the run may be within them: deferred messages are sent now. */
const endDeferral = async () => {
  const { test: key } = tenant;
  const quiet = { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: [] };
  expect((await key.call('PUT', '/v2/organizations/me/quiet-hours', { body: quiet })).status).toBe(200);
  const { items } = (await key.get('/messages', { status: 'queued', limit: 200 })).body;
  for (const { id } of items) expect([202, 409]).toContain((await key.post(`/messages/${id}/force`, {})).status);
};

/** A refused request stores nothing: there is exactly what was answered as created, and the money is right. */
const expectStored = async (made: { message: number; contact: number; apiKey: number }) => {
  await endDeferral();
  // The escrow of a bulk message that was deferred is checked every 30 s, by the dispatcher's next run after that.
  const { messages } = await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), {
    timeout: 120_000,
    interval: 1_000,
  });
  const live = await messaging.rowsOf('live', tenant.id);
  const rows = [...(await messaging.rowsOf('test', tenant.id)), ...live];
  // A contact's consents and its erasure are rows beside its own.
  const stored = (prefix: string) => rows.filter(({ pk, sk }) => pk.startsWith(prefix) && `${sk}#` === prefix).length;
  // Messages of a bulk send, of a resend and of a fallback's steps are not answered one by one.
  const single = messages.filter(
    ({ id, batchId, replaces, fallbackId = id }) =>
      batchId === undefined && replaces === undefined && fallbackId === id,
  );
  expect({ message: single.length, contact: stored('CNT#'), apiKey: stored('KEY#') }).toEqual(made);
  expect(live.filter(({ pk, sk, coins }) => pk.startsWith('MSG#') && sk === MESSAGE_SORT_KEY && coins !== 0)).toEqual(
    [],
  );
};

import { afterEach, describe, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { type SmppText, sendOverSmpp } from '../../shared/domain/smpp/send.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const OPENING = 10_000;
const HOUR = 3_600_000;
const world = await use(startWorld('live'));
afterEach(world.reset);

const setUp = async () => {
  const { organizationId } = await world.organization(OPENING);
  const submit = (fields: Partial<SmppText> = {}) => {
    const account = { id: newId('smppAccount'), organizationId, route: 'premium' as const };
    const message = { destination: '+5511987654321', text: 'Oi', receipts: [], ...fields };
    return sendOverSmpp({ ...world.ports, ...submitPortsOf(world) }, { env: 'live' }, account, message);
  };
  const scheduled = async (fields: Partial<SmppText> = {}) => {
    const sent = await submit({ deliverAt: world.now + HOUR, ...fields });
    if (sent.kind !== 'sent') throw new Error(sent.detail);
    return sent.messageId;
  };
  const money = () => checkMoney(world.table, organizationId);
  return { organizationId, submit, scheduled, money };
};
const leave = (id: Id<'message'>, over: object = {}) => sendQueued({ ...sendQueuedPortsOf(world), ...over }, id);
const read = (id: Id<'message'>) => world.ports.messageStore.read(id);

describe('a message that waits', () => {
  test('leaves until the end of its validity, and not from that moment on: it is expired, costs nothing, and its event says so', async () => {
    const { scheduled, money } = await setUp();
    const validUntil = world.now + 2 * HOUR;
    const [early, late] = [await scheduled({ validUntil }), await scheduled({ validUntil })];
    world.now = validUntil - 1;
    await leave(early);
    expect(await read(early)).toMatchObject({ status: 'sent', hold: 'captured' });
    await world.raised();

    world.now = validUntil;
    await leave(late);
    await leave(late);
    expect(await read(late)).toMatchObject({ status: 'failed', reason: 'expired', hold: 'released' });
    const raised = (await world.raised()).filter(({ type }) => type === 'sms.failed');
    expect(raised).toMatchObject([{ data: { reason: 'expired', id: late } }]);
    expect(world.provider.dispatched.map(({ messageId }) => messageId)).toEqual([early]);
    const { balance } = await money();
    expect(OPENING - balance).toBe((await read(early))?.coins);
  });

  test('without a validity leaves however late it is', async () => {
    const { scheduled } = await setUp();
    const id = await scheduled();
    world.now += 1_000 * HOUR;
    await leave(id);
    expect(await read(id)).toMatchObject({ status: 'sent' });
  });

  test('if deferred beyond its validity, fails when the validity ends, and not at the time of sending', async () => {
    const { scheduled } = await setUp();
    const validUntil = world.now + 2 * HOUR;
    const id = await scheduled({ validUntil });
    world.now += HOUR;
    await leave(id, { earliestSendAt: async () => world.now + 10 * HOUR });
    expect(await read(id)).toMatchObject({ status: 'queued', deadline: validUntil });
    world.now = validUntil;
    await leave(id, { earliestSendAt: async () => world.now + 10 * HOUR });
    expect(await read(id)).toMatchObject({ status: 'failed', reason: 'expired' });
  });

  test('is not deferred beyond the requested time if its validity is longer', async () => {
    const { scheduled } = await setUp();
    const id = await scheduled({ validUntil: world.now + 20 * HOUR });
    world.now += HOUR;
    const until = world.now + 10 * HOUR;
    await leave(id, { earliestSendAt: async () => until });
    expect(await read(id)).toMatchObject({ status: 'queued', deadline: until });
  });
});

test('a send whose validity ends while its first provider answers tries no second one, and is ESME_RINVEXPIRY', async () => {
  const { submit, money } = await setUp();
  const { provider } = world;
  const second = { ...provider, name: 'twilio' as const, send: provider.send.bind(provider) };
  world.candidates = () => ({ kind: 'ready', providers: [provider, second] });
  const validUntil = world.now + 1_000;
  provider.script = [
    () => {
      world.now = validUntil;
      return { kind: 'refused', cause: 'unavailable', detail: 'busy' };
    },
  ];
  expect(await submit({ validUntil })).toMatchObject({ kind: 'refused', status: 'ESME_RINVEXPIRY' });
  expect(provider.dispatched).toHaveLength(1);
  const { messages, balance } = await money();
  expect([messages[0]?.reason, balance]).toEqual(['expired', OPENING]);
});

test('another validity under the same idempotency key is another request; the same one, as it was written, is a repeat', async () => {
  const { submit } = await setUp();
  const again = (validity: string, validUntil: number) => submit({ idempotencyKey: 'order-1', validity, validUntil });
  const first = await again('000000010000000R', world.now + HOUR);
  expect(first.kind).toBe('sent');
  expect(await again('000000010000000R', world.now + HOUR + 1_000)).toEqual(first);
  expect(await again('000000020000000R', world.now + 2 * HOUR)).toMatchObject({ status: 'ESME_RSUBMITFAIL' });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { messageIdOf, reachable, usePush } from '../push/world.ts';
import { FAULTS } from '../support/fault-proxy.ts';

const EACH = 10;
const OPENING = 1_000_000;

const { world, push } = await usePush();
beforeEach(() => {
  world.now += 3_600_000;
});

test('a chunk that its holder has worked on since it was read cannot be claimed as it was: its devices would be sent to again', async () => {
  const { actor } = await push.organization(OPENING, reachable(1));
  messageIdOf(await push.post(actor, 'key'));
  const [message] = push.workItems.splice(0);
  if (!message) throw new Error('nothing is due');
  await push.work(message);
  const [due] = push.workItems.splice(0);
  if (!due) throw new Error('no chunk is due');
  const { sender } = push.send;
  const { messageId, shard, chunk: number } = PARSE_KEY.pushChunk(due);
  const read = () => sender.chunk(messageId, shard, number).then((chunk) => chunk ?? expect.fail('no chunk'));
  const holder = await sender.claim(await read(), world.now, { cursor: 0, leaseUntil: world.now });
  const seen = await read();
  if (!holder) throw new Error('the chunk was not claimed');
  await sender.settle(holder, [], { cursor: 1, leaseUntil: world.now });
  expect(await sender.claim(seen, world.now, { cursor: 1, leaseUntil: world.now + 60_000 })).toBeUndefined();
  expect(await sender.claim(await read(), world.now, { cursor: 1, leaseUntil: world.now + 60_000 })).toBeDefined();
});

describe('a push to one device, whose table is at fault,', () => {
  /** Sends it with this fault on the first call that it is meant for; nothing is left due but what the fault left. */
  const sendWith = async (
    fault: (typeof FAULTS)['drop' | 'loseAnswer'],
    meant: (action: string, body: string) => boolean,
    times = 1,
  ) => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const id = messageIdOf(await push.post(actor, 'key'));
    let met = 0;
    world.proxy.plan(({ action, body }) => (meant(action, body) && met++ < times ? fault : undefined));
    await push.drain().catch((error: unknown) => expect(error).toBeInstanceOf(Unavailable));
    world.proxy.plan(undefined);
    expect(met).toBeGreaterThanOrEqual(times);
    return { actor, id };
  };
  const expectSentOnce = async (actor: Parameters<typeof push.post>[0], id: ReturnType<typeof messageIdOf>) => {
    expect(await push.send.sender.message(id)).toMatchObject({ status: 'sent' });
    expect(push.transport.sent).toHaveLength(1);
    await push.checkLedger(actor, EACH, OPENING);
  };
  const isClaim = (action: string, body: string) => action === 'UpdateItem' && body.includes('CHUNK#');
  const isDevicesRead = (action: string, body: string) => action === 'Query' && body.includes('PDSP#');
  const isClose = (action: string, body: string) =>
    action === 'TransactWriteItems' && body.includes('PDSP#') && body.includes('decisions');
  const isSettlement = (action: string, body: string) => action === 'TransactWriteItems' && body.includes('PDSP#');

  test.each([
    ['the answer to its claim', isClaim],
    ['the answer to its end', isSettlement],
  ])('%s was lost, is sent at once and billed once', async (_, meant) => {
    const { actor, id } = await sendWith(FAULTS.loseAnswer, meant);
    await expectSentOnce(actor, id);
  });

  test('before its claim, is not claimed: it is sent once the table answers again, and billed', async () => {
    const { actor, id } = await sendWith(FAULTS.drop, isDevicesRead, 5);
    expect(push.transport.sent).toHaveLength(0);
    await push.rescheduleDrain(id);
    await expectSentOnce(actor, id);
  });

  test('at its end, has its outcome written by itself, and then ends', async () => {
    const { actor, id } = await sendWith(FAULTS.drop, isClose, 5);
    expect(await push.dispatchesOf(id)).toMatchObject([{ status: 'delivered' }]);
    await push.rescheduleDrain(id);
    await expectSentOnce(actor, id);
  });
});

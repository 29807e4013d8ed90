import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listMessagePage } from '../../shared/storage/messages/message-lists.ts';
import { rememberWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { isPastMonth, monthNames, readVolume } from '../../shared/storage/wallet/volumes.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
const rowOf = async ({ organizationId }: Actor) => {
  const row = await world.table.get(KEYS.wallet(organizationId));
  if (!row) throw new Error('there is no wallet');
  return row;
};

describe('the volume of a month', () => {
  test('is counted with the debit in the wallet’s row: a send writes no other for it', async () => {
    const actor = await world.organization(1_000_000, false);
    await world.sms(actor, 'first');
    const calls = await world.proxy.callsOf(async () => {
      await world.sms(actor, 'second');
    });
    expect(calls).toMatchObject({ TransactWriteItems: 2 });
    expect((await rowOf(actor))[monthNames('sms', '202603').taken]).toBe(2);
  });

  test('is read by the attributes of the named bands alone, where a stage may see no other', async () => {
    const actor = await world.organization();
    const { taken, free } = monthNames('sms', '202603');
    await world.table.write({ update: KEYS.wallet(actor.organizationId), set: { [taken]: 7, [`${free}1`]: 2 } });
    const read = (bands?: readonly number[]) => readVolume(world.table, actor.organizationId, 'sms', '202603', bands);
    expect(await read()).toEqual({ taken: 7, free: [{ from: 1, units: 2 }] });
    expect(await read([1, 100_001])).toEqual(await read());
    expect(await read([100_001])).toEqual({ taken: 7, free: [] });
    expect(await readVolume(world.table, actor.organizationId, 'sms', '202602')).toEqual({ taken: 0, free: [] });
  });

  test('is forgotten two months later, by a debit of a process that saw the row, and never the month before', async () => {
    const actor = await world.organization();
    const names = ['202512', '202601', '202602'].map((month) => monthNames('sms', month));
    const old = Object.fromEntries(
      names.flatMap(({ taken, free }) => [
        [taken, 5],
        [`${free}1`, 3],
      ]),
    );
    await world.table.write({ update: KEYS.wallet(actor.organizationId), set: old });
    rememberWallet(world.table, actor.organizationId, await rowOf(actor));
    await world.sms(actor, 'march');
    const kept = Object.keys(await rowOf(actor)).filter((name) => /^(?:taken|freed)_/.test(name));
    expect(kept.sort()).toEqual(['freed_sms_202602_1', 'taken_sms_202602', 'taken_sms_202603']);
  });

  test.each([
    ['202601', '202603', true],
    ['202602', '202603', false],
    ['202512', '202601', false],
    ['202511', '202601', true],
    ['202604', '202603', false],
  ])('%s is past in %s: %s', (month, now, past) => {
    expect(isPastMonth(month, now)).toBe(past);
  });
});

describe('a send whose caller waits', () => {
  const totalOf = async ({ organizationId }: Actor) =>
    (await listMessagePage(world.reading, organizationId, 'sms', { from: 0 }, { skip: 0, limit: 10 })).items;

  test('is found by its id immediately, and in the lists once its provider answered', async () => {
    const actor = await world.organization();
    const before = world.provider.dispatched.length;
    const answer = world.provider.hold();
    const sent = world.sms(actor, 'held');
    await expect.poll(() => world.provider.dispatched.length, { interval: 5 }).toBeGreaterThan(before);
    const messageId = world.provider.dispatched.at(-1)?.messageId;
    expect(await totalOf(actor)).toEqual([]);
    expect(messageId && (await world.ports.messageStore.read(messageId))).toMatchObject({ status: 'sending' });
    answer();
    const { id } = accepted(await sent);
    expect(await totalOf(actor)).toMatchObject([{ id, status: 'sent' }]);
  });

  test('and was refused, or has no certain answer, is in the lists, too', async () => {
    const actor = await world.organization();
    world.provider.script = [{ kind: 'refused', cause: 'unavailable', detail: 'down' }];
    await world.sms(actor, 'refused');
    world.provider.script = [{ kind: 'unknown', detail: 'reset' }];
    await world.sms(actor, 'uncertain');
    expect((await totalOf(actor)).map(({ status }) => status).sort()).toEqual(['failed', 'sending']);
    expect((await checkMoney(world.table, actor.organizationId, { quiet: false })).messages).toHaveLength(2);
  });
});

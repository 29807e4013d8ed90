import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { SmppReceipt } from '../../shared/domain/message/smpp-origin.ts';
import type { Release } from '../../shared/domain/sending/message-store.ts';
import { type Assembly, cancelled, expired } from '../../shared/domain/smpp/assembly.ts';
import { type Delivery, defer, recordAnswered } from '../../shared/domain/smpp/deliver.ts';
import { KEEP_NOTICE_MS, type Notice } from '../../shared/domain/smpp/notice.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { releaseWrites } from '../../shared/storage/messages/message-writes.ts';
import { endedPartsWrites, reportWrites } from '../../shared/storage/smpp/notice-writes.ts';
import { noticeRows } from '../../shared/storage/smpp/notices.ts';
import { SMPP_SHARDS, shardOf } from '../../shared/storage/table-indexes.ts';
import { LATER, reported, UNDER_WAY, useNotices } from './notices-kit.ts';

const { aMessage, assemblies, notices, organizationId, ports, replies, report, seen, table, time } = await useNotices();

describe('a notice', () => {
  it('says what a status of a message is to the account: addresses, times, state and error', async () => {
    const account = newId('smppAccount');
    const message = aMessage(account);
    time.now += 5_000;
    await report(message, 'failed', 'expired');
    time.now += LATER;
    expect((await seen(account)).deliveries).toMatchObject([
      {
        source: '+5511999990005',
        destination: 'LOJA',
        text: 'Oi',
        report: {
          id: message.id,
          state: 3,
          errorCode: 4,
          submittedAt: message.createdAt,
          doneAt: message.createdAt + 5_000,
          intermediate: false,
        },
      },
    ]);
  });

  it('is written only for a status that was requested', async () => {
    const account = newId('smppAccount');
    const [never, success] = [aMessage(account, [{ wants: 'never' }]), aMessage(account, [{ wants: 'success' }])];
    for (const message of [never, success]) {
      await report(message, 'sent');
      await report(message, 'failed');
    }
    await report(aMessage(account, [{ wants: 'never', intermediate: true }]), 'sent');
    time.now += LATER;
    expect((await seen(account)).deliveries.map(({ report: about }) => about?.intermediate)).toEqual([true]);
  });

  it('follows the response of its submit_sm, and those of one message follow each other', async () => {
    const account = newId('smppAccount');
    const message = aMessage(account, [{ wants: 'always', intermediate: true }]);
    await report(message, 'sent');
    expect(await seen(account)).toMatchObject({ deliveries: [], waitsUntil: time.now + 1_000 });
    time.now += 900;
    await report(message, 'delivered');
    time.now += 200;
    // The second is younger than a second: only the first is delivered, and does not hold back later messages.
    expect(reported(await seen(account))).toEqual([`${message.id} 1`]);
    time.now += 1_000;
    expect(reported(await seen(account))).toEqual([`${message.id} 1`, `${message.id} 2`]);
  });

  it('that is deferred holds back those of its message, and of no other', async () => {
    const account = newId('smppAccount');
    const first = aMessage(account, [{ wants: 'always', intermediate: true }]);
    time.now += 10;
    const second = aMessage(account);
    for (const status of ['sent', 'delivered'] as const) await report(first, status);
    await report(second, 'delivered');
    time.now += LATER;
    const [refused] = (await seen(account)).deliveries as [Delivery];
    await defer(ports, refused);
    const work = await seen(account);
    expect([reported(work), work.waitsUntil]).toEqual([[`${second.id} 2`], time.now + 5_000]);
    time.now += 5_001;
    expect(reported(await seen(account))).toEqual([`${first.id} 1`, `${first.id} 2`, `${second.id} 2`]);
  });

  it('is tried again after longer and longer, for 72 hours, and is gone then', async () => {
    const account = newId('smppAccount');
    await report(aMessage(account), 'delivered');
    const written = time.now;
    time.now += LATER;
    const waits: number[] = [];
    for (let attempts = 0; attempts < 7; attempts++) {
      const [delivery] = (await seen(account)).deliveries as [Delivery];
      await defer(ports, delivery);
      const { waitsUntil = 0 } = await seen(account);
      waits.push((waitsUntil - time.now) / 1_000);
      time.now = waitsUntil;
    }
    expect(waits).toEqual([5, 15, 60, 300, 900, 900, 900]);
    time.now = written + KEEP_NOTICE_MS - 1;
    expect((await seen(account)).deliveries).toHaveLength(1);
    time.now = written + KEEP_NOTICE_MS;
    expect(await seen(account)).toMatchObject({ deliveries: [] });
    expect(await notices.waiting(account, time.now)).toEqual([]);
  });

  it('is deleted by the table itself once it has waited 72 hours', async () => {
    const [write] = reportWrites(aMessage(newId('smppAccount')), { status: 'delivered', at: time.now });
    expect(write).toMatchObject({ put: { ttl: Math.ceil((time.now + KEEP_NOTICE_MS) / 1_000) } });
  });

  it('of a message in parts is delivered under each id that requested it, and resumes after the last that was answered', async () => {
    const account = newId('smppAccount');
    const parts = ['a', 'b', 'c'].map((id): SmppReceipt => ({ id, wants: 'always' }));
    await report(aMessage(account, parts), 'delivered');
    time.now += LATER;
    const [one, other] = (await seen(account)).deliveries as [Delivery, Delivery];
    expect(reported(await seen(account))).toEqual(['a 2', 'b 2', 'c 2']);
    await recordAnswered(ports, one);
    await defer(ports, other);
    time.now += 5_000;
    const rest = (await seen(account)).deliveries;
    expect(reported({ deliveries: rest })).toEqual(['b 2', 'c 2']);
    expect(rest[0]?.tries).toBe(1);
    // The next one has not been tried.
    await recordAnswered(ports, rest[0] as Delivery);
    expect((await seen(account)).deliveries.map(({ report: about, tries }) => [about?.id, tries])).toEqual([['c', 0]]);
    await recordAnswered(ports, rest[1] as Delivery);
    expect(await notices.waiting(account, time.now)).toEqual([]);
  });
});

it('a message that fails while its account waits is reported to the parts alone that were answered before', () => {
  const accountId = newId('smppAccount');
  const waiting = { ...aMessage(accountId), ...UNDER_WAY } as MessageRecord;
  const assembled = { id: newId('smppParts'), version: 3, last: { number: 2, characters: 2 } };
  const ofParts = {
    ...waiting,
    smpp: { accountId, receipts: [{ id: 'a', wants: 'always' }], assembled },
  } as MessageRecord;
  const queued = { ...waiting, dispatchedAt: time.now } as MessageRecord;
  const reports = (message: MessageRecord, more: Partial<Release> = {}) =>
    releaseWrites(table, message, {
      at: time.now,
      lastError: '',
      decisions: [],
      certain: true,
      freeKey: false,
      events: [],
      ...more,
    }).filter((write) => 'put' in write && String(write.put.pk).startsWith('SMPPQ#')).length;
  expect([reports(waiting), reports(ofParts), reports(queued)]).toEqual([0, 1, 1]);
  // Its response says that it failed.
  expect([reports(waiting, { toCaller: true }), reports(ofParts, { toCaller: true })]).toEqual([0, 0]);
});

it.each([
  ['expired, a minute after the first', (open: Assembly) => expired(open), 3, 4, 60_000],
  ['were cancelled, when they were', (open: Assembly) => cancelled(open, open.startedAt + 5_000), 4, 0, 5_000],
])(
  'parts that %s are reported under the id of each part that requested it, from the number they were sent to',
  async (_, end, state, errorCode, after) => {
    const account = newId('smppAccount');
    const part = (number: number, wants: SmppReceipt['wants']) => ({
      number,
      digest: '',
      characters: 1,
      receipt: { wants },
    });
    const assemblyOf = (parts: Assembly['parts']) =>
      ({
        id: newId('smppParts'),
        organizationId,
        accountId: account,
        destination: '+5511999990005',
        source: 'LOJA',
        startedAt: time.now,
        parts,
      }) as unknown as Assembly;
    const open = assemblyOf([part(1, 'always'), part(2, 'success'), part(4, 'failure')]);
    expect(endedPartsWrites(open)).toEqual([]);
    const assembly = end(open);
    assemblies.set(assembly.id, assembly);
    expect(endedPartsWrites(end(assemblyOf([part(1, 'never'), part(2, 'success')])))).toEqual([]);
    for (const write of endedPartsWrites(assembly)) await table.write(write);
    time.now += after + LATER;
    const work = await seen(account, { shard: shardOf(assembly.id, SMPP_SHARDS) });
    expect(reported(work)).toEqual([`${assembly.id}_1 ${state}`, `${assembly.id}_4 ${state}`]);
    expect(work.deliveries[1]).toMatchObject({
      source: '+5511999990005',
      destination: 'LOJA',
      text: '',
      report: { errorCode, submittedAt: assembly.startedAt, doneAt: assembly.startedAt + after },
    });
  },
);

it('a reply is delivered from the phone to the sender, after the reports of its message', async () => {
  const account = newId('smppAccount');
  const message = aMessage(account);
  const replyId = newId('reply');
  replies.set(replyId, { from: '+5511999990005', body: 'Sim' });
  const position = `${isoTime(message.createdAt)}#${message.id}#3#${isoTime(time.now)}#${replyId}`;
  const reply: Notice = {
    organizationId,
    accountId: account,
    about: message.id,
    position,
    replyId,
    createdAt: time.now,
    reportedCount: 0,
    attempts: 0,
  };
  await table.write({ put: noticeRows.write(reply) });
  await report(message, 'delivered');
  time.now += LATER;
  const work = await seen(account);
  expect(reported(work)).toEqual([`${message.id} 2`, 'Sim']);
  expect(work.deliveries[1]).toMatchObject({ source: '+5511999990005', destination: 'LOJA', text: 'Sim' });
  replies.delete(replyId);
  expect(reported(await seen(account))).toEqual([`${message.id} 2`]);
  expect(await table.get(KEYS.smppNotice(account, message.id, position))).toBeUndefined();
});

it('a notice that an account accepted, or permanently refused, is not restored by a late response to an earlier attempt', async () => {
  const account = newId('smppAccount');
  const message = aMessage(account, [
    { id: 'a', wants: 'always' },
    { id: 'b', wants: 'always' },
  ]);
  await report(message, 'delivered');
  time.now += LATER;
  const [one, other] = (await seen(account)).deliveries as [Delivery, Delivery];
  await recordAnswered(ports, other);
  await recordAnswered(ports, one);
  await defer(ports, one);
  expect(await notices.waiting(account, time.now)).toEqual([]);
});

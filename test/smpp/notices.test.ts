import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { MessageOf, MessageRecord } from '../../shared/domain/message/message.ts';
import type { SmppReceipt } from '../../shared/domain/message/smpp-origin.ts';
import type { Release } from '../../shared/domain/sending/message-store.ts';
import type { Assembly } from '../../shared/domain/smpp/assembly.ts';
import { type DeliverPorts, type Delivery, putOff, recordTold, takeTurn } from '../../shared/domain/smpp/deliver.ts';
import { KEEP_NOTICE_MS, type Notice, TURN_LEASE_MS, type Turn } from '../../shared/domain/smpp/notice.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { releaseWrites } from '../../shared/storage/messages/message-writes.ts';
import { expiredPartsWrites, reportWrites } from '../../shared/storage/smpp/notice-writes.ts';
import { noticeQueue, noticeRows } from '../../shared/storage/smpp/notices.ts';
import { SMPP_SHARDS, shardOf } from '../../shared/storage/table-indexes.ts';
import { useContendedTable } from '../support/contended-table.ts';

const { ownTable, table } = await useContendedTable();
let now = Date.UTC(2026, 10, 26);
const organizationId = newId('organization');
const messages = new Map<string, MessageOf<'sms'> | 'unreadable'>();
const assemblies = new Map<string, Assembly>();
const replies = new Map<string, { from: string; body: string } | 'unreadable'>();

const held = <I extends string, T>(all: ReadonlyMap<string, T>, ids: readonly I[]) =>
  new Map(
    ids.flatMap((id) => {
      const one = all.get(id);
      return one === undefined ? [] : [[id, one] as const];
    }),
  );
/** The ports of a process of its own. */
const portsOf = (own: Table = table): DeliverPorts => ({
  clock: () => now,
  notices: noticeQueue(own),
  messages: async (ids) => held(messages, ids),
  replies: async (ids) => held(replies, ids),
  parts: async (ids) => held(assemblies, ids),
});
const ports = portsOf();
const { notices } = ports;

type Account = ReturnType<typeof newId<'smppAccount'>>;
/** A message of an account, whose shard is 0 unless it may be any. */
const aMessage = (accountId: Account, receipts: readonly SmppReceipt[] = [{ wants: 'always' }], anyShard = false) => {
  let id = newId('message');
  while (!anyShard && shardOf(id, SMPP_SHARDS) !== 0) id = newId('message');
  const content = { text: 'Oi', senderId: 'LOJA', encoding: 'GSM-7', length: 2, segments: 1 };
  const message = { id, organizationId, to: '+5511999990005', content, createdAt: now, smpp: { accountId, receipts } };
  messages.set(id, message as unknown as MessageOf<'sms'>);
  return message as unknown as MessageOf<'sms'>;
};
const report = async (message: MessageOf<'sms'>, status: MessageOf<'sms'>['status'], reason?: string) => {
  for (const write of reportWrites(message, { status, reason, at: now })) await table.write(write);
};
let turns = 0;
const turnOf = (accountId: Account, shard = 0): Turn => ({ accountId, shard, owner: `turn-${++turns}` });
/** What a turn has to tell; its lease is given back. */
const seen = async (accountId: Account, { after, shard = 0 }: { after?: string; shard?: number } = {}) => {
  const turn = turnOf(accountId, shard);
  const work = await takeTurn(ports, turn, after);
  if (!work) throw new Error('another has its turn');
  await notices.end(turn);
  return work;
};
const told = ({ deliveries }: { readonly deliveries: readonly Delivery[] }) =>
  deliveries.map(({ report: about, text }) => (about ? `${about.id} ${about.state}` : text));
const LATER = 1_001;
/** What else a message says while its provider is called. */
const UNDER_WAY = {
  channel: 'sms',
  env: 'test',
  route: 'premium',
  status: 'sending',
  hold: 'open',
  fence: 1,
  coins: 100,
  units: 1,
  recipientHash: 'hash',
  callerKey: 'key',
};

describe('a notice', () => {
  it('says what a status of a message is to the account: addresses, times, state and error', async () => {
    const account = newId('smppAccount');
    const message = aMessage(account);
    now += 5_000;
    await report(message, 'failed', 'expired');
    now += LATER;
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

  it('is written for a status that was asked for alone', async () => {
    const account = newId('smppAccount');
    const [never, success] = [aMessage(account, [{ wants: 'never' }]), aMessage(account, [{ wants: 'success' }])];
    for (const message of [never, success]) {
      await report(message, 'sent');
      await report(message, 'failed');
    }
    await report(aMessage(account, [{ wants: 'never', intermediate: true }]), 'sent');
    now += LATER;
    expect((await seen(account)).deliveries.map(({ report: about }) => about?.intermediate)).toEqual([true]);
  });

  it('follows the response of its submit_sm, and those of one message follow each other', async () => {
    const account = newId('smppAccount');
    const message = aMessage(account, [{ wants: 'always', intermediate: true }]);
    await report(message, 'sent');
    expect(await seen(account)).toMatchObject({ deliveries: [], waitsUntil: now + 1_000 });
    now += 900;
    await report(message, 'delivered');
    now += 200;
    // The second is younger than a second: the first is told, and holds nothing back that comes after.
    expect(told(await seen(account))).toEqual([`${message.id} 1`]);
    now += 1_000;
    expect(told(await seen(account))).toEqual([`${message.id} 1`, `${message.id} 2`]);
  });

  it('that is put off holds back those of its message, and of no other', async () => {
    const account = newId('smppAccount');
    const first = aMessage(account, [{ wants: 'always', intermediate: true }]);
    now += 10;
    const second = aMessage(account);
    for (const status of ['sent', 'delivered'] as const) await report(first, status);
    await report(second, 'delivered');
    now += LATER;
    const [refused] = (await seen(account)).deliveries as [Delivery];
    await putOff(ports, refused);
    const work = await seen(account);
    expect([told(work), work.waitsUntil]).toEqual([[`${second.id} 2`], now + 5_000]);
    now += 5_001;
    expect(told(await seen(account))).toEqual([`${first.id} 1`, `${first.id} 2`, `${second.id} 2`]);
  });

  it('is tried again after longer and longer, for 72 hours, and is gone then', async () => {
    const account = newId('smppAccount');
    await report(aMessage(account), 'delivered');
    const written = now;
    now += LATER;
    const waits: number[] = [];
    for (let tries = 0; tries < 7; tries++) {
      const [delivery] = (await seen(account)).deliveries as [Delivery];
      await putOff(ports, delivery);
      const { waitsUntil = 0 } = await seen(account);
      waits.push((waitsUntil - now) / 1_000);
      now = waitsUntil;
    }
    expect(waits).toEqual([5, 15, 60, 300, 900, 900, 900]);
    now = written + KEEP_NOTICE_MS - 1;
    expect((await seen(account)).deliveries).toHaveLength(1);
    now = written + KEEP_NOTICE_MS;
    expect(await seen(account)).toMatchObject({ deliveries: [] });
    expect(await notices.waiting(account, now)).toEqual([]);
  });

  it('is deleted by the table itself once it has waited 72 hours', async () => {
    const [write] = reportWrites(aMessage(newId('smppAccount')), { status: 'delivered', at: now });
    expect(write).toMatchObject({ put: { ttl: Math.ceil((now + KEEP_NOTICE_MS) / 1_000) } });
  });

  it('of a message in parts is told under each id that asked, and goes on behind the last that was answered', async () => {
    const account = newId('smppAccount');
    const parts = ['a', 'b', 'c'].map((id): SmppReceipt => ({ id, wants: 'always' }));
    await report(aMessage(account, parts), 'delivered');
    now += LATER;
    const [one, other] = (await seen(account)).deliveries as [Delivery, Delivery];
    expect(told(await seen(account))).toEqual(['a 2', 'b 2', 'c 2']);
    await recordTold(ports, one);
    await putOff(ports, other);
    now += 5_000;
    const rest = (await seen(account)).deliveries;
    expect(told({ deliveries: rest })).toEqual(['b 2', 'c 2']);
    expect(rest[0]?.tries).toBe(1);
    // The next one has been tried by nobody.
    await recordTold(ports, rest[0] as Delivery);
    expect((await seen(account)).deliveries.map(({ report: about, tries }) => [about?.id, tries])).toEqual([['c', 0]]);
    await recordTold(ports, rest[1] as Delivery);
    expect(await notices.waiting(account, now)).toEqual([]);
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
  const queued = { ...waiting, dispatchedAt: now } as MessageRecord;
  const reports = (message: MessageRecord, more: Partial<Release> = {}) =>
    releaseWrites(table, message, {
      at: now,
      lastError: '',
      decisions: [],
      freeKey: false,
      events: [],
      ...more,
    }).filter((write) => 'put' in write && String(write.put.pk).startsWith('SMPPQ#')).length;
  expect([reports(waiting), reports(ofParts), reports(queued)]).toEqual([0, 1, 1]);
  // Its response says that it failed.
  expect([reports(waiting, { toCaller: true }), reports(ofParts, { toCaller: true })]).toEqual([0, 0]);
});

describe('a turn', () => {
  it('is one process’s until it ends, or its lease does', async () => {
    const account = newId('smppAccount');
    await report(aMessage(account), 'delivered');
    now += LATER;
    const mine = turnOf(account);
    expect(await takeTurn(ports, mine, undefined)).toBeDefined();
    expect(await takeTurn(ports, turnOf(account), undefined)).toBeUndefined();
    expect(await notices.waiting(account, now)).toEqual([]);
    // An end of another turn changes nothing.
    await notices.end(turnOf(account));
    expect(await takeTurn(ports, turnOf(account), undefined)).toBeUndefined();
    now += TURN_LEASE_MS;
    expect(await notices.waiting(account, now)).toEqual([0]);
    const next = turnOf(account);
    expect(await takeTurn(ports, next, undefined)).toBeDefined();
    await notices.end(mine);
    expect(await takeTurn(ports, turnOf(account), undefined)).toBeUndefined();
    await notices.end(next);
    expect(await notices.waiting(account, now)).toEqual([0]);
  });

  it('ends its sending long enough before its lease for every answer', async () => {
    const account = newId('smppAccount');
    const { sendUntil } = await seen(account);
    expect(sendUntil - now).toBeLessThanOrEqual(TURN_LEASE_MS - 30_000);
  });

  it('is had by one of twenty processes that begin one at once, and nothing of it is told twice', async () => {
    const account = newId('smppAccount');
    const all = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const message = aMessage(account, [{ wants: 'always', intermediate: true }], true);
        for (const status of ['sent', 'delivered'] as const) await report(message, status);
        return message.id;
      }),
    );
    now += LATER;
    const log: string[] = [];
    const process = async () => {
      const own = portsOf(ownTable());
      for (let idle = 0; idle < 3; ) {
        const waiting = await own.notices.waiting(account, now);
        if (waiting.length === 0) idle++;
        for (const shard of waiting) {
          const turn = turnOf(account, shard);
          const work = await takeTurn(own, turn, undefined);
          for (const delivery of work?.deliveries ?? []) {
            log.push(`${delivery.report?.id} ${delivery.report?.state}`);
            await recordTold(own, delivery);
          }
          if (work) await own.notices.end(turn);
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, process));
    expect(log.toSorted()).toEqual(all.flatMap((id) => [`${id} 1`, `${id} 2`]).toSorted());
    for (const id of all) expect(log.indexOf(`${id} 1`)).toBeLessThan(log.indexOf(`${id} 2`));
  });

  it('sees a shard page by page, and the rest of the message at a page’s end in the next round', async () => {
    const account = newId('smppAccount');
    const many = Array.from({ length: 49 }, () => aMessage(account));
    for (const message of many) await report(message, 'delivered');
    now += 10;
    const split = aMessage(account, [{ wants: 'always', intermediate: true }]);
    for (const status of ['sent', 'delivered'] as const) await report(split, status);
    now += 10;
    const last = aMessage(account);
    await report(last, 'delivered');
    now += LATER;
    const first = await seen(account);
    expect([first.deliveries.length, told(first).at(-1)]).toEqual([50, `${split.id} 1`]);
    const rest = await seen(account, { after: first.next ?? '' });
    expect([told(rest), rest.next]).toEqual([[`${last.id} 2`], undefined]);
  });

  it('removes what says nothing any more, and puts off what it cannot read, without holding up the others', async () => {
    const account = newId('smppAccount');
    const [gone, odd, plain] = [aMessage(account), aMessage(account), aMessage(account)];
    for (const message of [gone, odd, plain]) await report(message, 'delivered');
    messages.delete(gone.id);
    messages.set(odd.id, 'unreadable');
    now += LATER;
    expect(told(await seen(account))).toEqual([`${plain.id} 2`]);
    const left = await notices.page(turnOf(account), undefined);
    expect(left.notices.map(({ about, tries }) => [about, tries]).toSorted()).toEqual(
      [
        [odd.id, 1],
        [plain.id, 0],
      ].toSorted(),
    );
  });
});

it('parts that expired are told of under the id of each that asked, a minute after the first, and from whom they were to go to', async () => {
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
      startedAt: now,
      state: 'expired',
      parts,
    }) as unknown as Assembly;
  const assembly = assemblyOf([part(1, 'always'), part(2, 'success'), part(4, 'failure')]);
  assemblies.set(assembly.id, assembly);
  expect(expiredPartsWrites(assemblyOf([part(1, 'never'), part(2, 'success')]))).toEqual([]);
  for (const write of expiredPartsWrites(assembly)) await table.write(write);
  now += 60_000 + LATER;
  const work = await seen(account, { shard: shardOf(assembly.id, SMPP_SHARDS) });
  expect(told(work)).toEqual([`${assembly.id}_1 3`, `${assembly.id}_4 3`]);
  expect(work.deliveries[1]).toMatchObject({
    source: '+5511999990005',
    destination: 'LOJA',
    text: '',
    report: { errorCode: 4, submittedAt: assembly.startedAt, doneAt: assembly.startedAt + 60_000 },
  });
});

it('a reply is told from the phone to the sender, behind the reports of its message', async () => {
  const account = newId('smppAccount');
  const message = aMessage(account);
  const replyId = newId('reply');
  replies.set(replyId, { from: '+5511999990005', body: 'Sim' });
  const position = `${isoTime(message.createdAt)}#${message.id}#3#${isoTime(now)}#${replyId}`;
  const reply: Notice = {
    organizationId,
    accountId: account,
    about: message.id,
    position,
    replyId,
    createdAt: now,
    told: 0,
    tries: 0,
  };
  await table.write({ put: noticeRows.write(reply) });
  await report(message, 'delivered');
  now += LATER;
  const work = await seen(account);
  expect(told(work)).toEqual([`${message.id} 2`, 'Sim']);
  expect(work.deliveries[1]).toMatchObject({ source: '+5511999990005', destination: 'LOJA', text: 'Sim' });
  replies.delete(replyId);
  expect(told(await seen(account))).toEqual([`${message.id} 2`]);
  expect(await table.get(KEYS.smppNotice(account, message.id, position))).toBeUndefined();
});

it('what an account took, or never will, comes back by no late answer to an earlier try', async () => {
  const account = newId('smppAccount');
  const message = aMessage(account, [
    { id: 'a', wants: 'always' },
    { id: 'b', wants: 'always' },
  ]);
  await report(message, 'delivered');
  now += LATER;
  const [one, other] = (await seen(account)).deliveries as [Delivery, Delivery];
  await recordTold(ports, other);
  await recordTold(ports, one);
  await putOff(ports, one);
  expect(await notices.waiting(account, now)).toEqual([]);
});

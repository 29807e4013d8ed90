import { duplexPair } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AccountDeliverer, type DelivererCalls } from '../../infra/local/smpp-account-deliverer.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { BoundAccount } from '../../shared/domain/smpp/account.ts';
import type { Delivery, LeasedWork } from '../../shared/domain/smpp/deliver.ts';
import type { PduOf } from '../../shared/smpp/pdus.ts';
import { readReceipt } from '../../shared/smpp/receipt.ts';
import { Session } from '../../shared/smpp/session.ts';
import type { StatusName } from '../../shared/smpp/statuses.ts';
import { accepting, peerOf, turns } from './kit.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());
const pass = async (ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= 250) {
    await turns(6);
    await vi.advanceTimersByTimeAsync(Math.min(left, 250));
  }
  await turns(6);
};

const ACCOUNT = { id: newId('smppAccount'), dlrFormat: 'minutes' } as BoundAccount;
const deliveryOf = (message: string, part = 1, reported?: number): Delivery => ({
  notice: {
    accountId: ACCOUNT.id,
    about: message as Delivery['notice']['about'],
    position: `${message}#${part}`,
  },
  tries: 0,
  ...(reported === undefined ? {} : { told: reported }),
  source: '+5511999990005',
  destination: 'LOJA',
  text: 'Oi',
  report: { id: `${message}.${part}`, state: 2, errorCode: 0, submittedAt: 0, doneAt: 0, intermediate: false },
});

/** A stage whose shards hold deliveries: a lease has a page of them, and accepted ones are removed. */
const stageOf = (shards: Record<number, Delivery[]>) => {
  const leases = new Map<number, string>();
  const log: string[] = [];
  const faults: string[] = [];
  const answers: Record<Parameters<DelivererCalls['invoke']>[0], (event: never) => unknown> = {
    waiting: () =>
      Object.keys(shards)
        .map(Number)
        .filter((shard) => shards[shard]?.length && !leases.has(shard)),
    take({ turn: { shard, owner } }: { turn: { shard: number; owner: string } }): LeasedWork | undefined {
      if (leases.has(shard)) return undefined;
      leases.set(shard, owner);
      return { deliveries: [...(shards[shard] ?? [])], sendUntil: Date.now() + 25_000 };
    },
    end: ({ shard, owner }: { shard: number; owner: string }) => leases.get(shard) === owner && leases.delete(shard),
    'record-answer'({ notice: { position }, taken }: { notice: Delivery['notice']; taken: boolean }) {
      log.push(`${position} ${taken ? 'taken' : 'put off'}`);
      for (const each of Object.values(shards)) {
        const at = each.findIndex(({ notice }) => notice.position === position);
        if (at >= 0) each.splice(at, 1);
      }
    },
  };
  const calls: DelivererCalls = {
    invoke: async (name, event) => answers[name](event as never),
    onFault: (where) => faults.push(where),
  };
  return { calls, log, faults, leases, answers };
};

type Answers = StatusName | 'silence' | ((id: string) => StatusName | 'silence');
/** A bind whose peer answers each deliver_sm so; `got` are the ids that came to it. */
const bindOf = async (answer: Answers = 'ESME_ROK', { version = 0x34, sendWindow = 32 } = {}) => {
  const [near, far] = duplexPair();
  const session = new Session({ side: 'server', stream: near, handlers: accepting(), limits: { sendWindow } });
  const peer = peerOf(far);
  peer.send('bind_transceiver', { systemId: 'test_1' });
  await turns(4);
  peer.read.length = 0;
  const got: string[] = [];
  let answered = 0;
  const answerAll = () => {
    for (const pdu of peer.read.slice(answered)) {
      answered++;
      if (pdu.command !== 'deliver_sm') continue;
      const id = readReceipt(Buffer.from((pdu as PduOf<'deliver_sm'>).body.shortMessage).toString('latin1'))?.id ?? '';
      got.push(id);
      const status = typeof answer === 'function' ? answer(id) : answer;
      if (status !== 'silence') peer.answer(pdu, status);
    }
  };
  far.on('data', () => queueMicrotask(answerAll));
  return { session, peer, got, far, receiver: { session, version, account: () => ACCOUNT } };
};

it('waiting notices are delivered as soon as a bind arrives, and removed once the account has accepted them', async () => {
  const stage = stageOf({ 3: [deliveryOf('a'), deliveryOf('b')], 5: [deliveryOf('c')] });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf();
  deliverer.add(bind.receiver);
  await turns(40);
  expect(bind.got.toSorted()).toEqual(['a.1', 'b.1', 'c.1']);
  expect(stage.log.toSorted()).toEqual(['a#1 taken', 'b#1 taken', 'c#1 taken']);
  expect(stage.leases.size).toBe(0);
  deliverer.stop();
  await deliverer.ended;
});

it('later notices are delivered within a second to an account that sends, and within five to a quiet one', async () => {
  const shards: Record<number, Delivery[]> = { 0: [] };
  const stage = stageOf(shards);
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf();
  deliverer.add(bind.receiver);
  await pass(500);
  shards[0] = [deliveryOf('a')];
  await pass(1_000);
  expect(bind.got).toEqual(['a.1']);
  await pass(61_000);
  let checks = 0;
  const { waiting } = stage.answers;
  stage.answers.waiting = (event) => {
    checks++;
    return waiting?.(event);
  };
  await pass(20_000);
  expect([checks >= 3, checks <= 5]).toEqual([true, true]);
  // A peer that is silent for longer is cut off.
  bind.peer.send('enquire_link');
  await turns();
  shards[0] = [deliveryOf('b')];
  deliverer.touch();
  await pass(1_000);
  expect(bind.got).toEqual(['a.1', 'b.1']);
  deliverer.stop();
  await deliverer.ended;
});

it('the reports of one message are delivered in order: a later one waits for the response to the earlier one', async () => {
  const stage = stageOf({ 0: [deliveryOf('a', 1, 1), deliveryOf('a', 2), deliveryOf('b')] });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf((id) => (id === 'a.1' ? 'silence' : 'ESME_ROK'));
  deliverer.add(bind.receiver);
  await pass(2_000);
  expect(bind.got).toEqual(['a.1', 'b.1']);
  const [first] = bind.peer.read;
  if (first) bind.peer.answer(first);
  await pass(1_000);
  expect(bind.got).toEqual(['a.1', 'b.1', 'a.2']);
  expect(stage.log).toEqual(['b#1 taken', 'a#1 taken', 'a#2 taken']);
  deliverer.stop();
  await deliverer.ended;
});

it.each([
  ['ESME_ROK', 'taken'],
  ['ESME_RX_P_APPN', 'taken'],
  ['ESME_RX_R_APPN', 'taken'],
  ['ESME_RX_T_APPN', 'put off'],
  ['ESME_RTHROTTLED', 'put off'],
  ['ESME_RMSGQFUL', 'put off'],
  ['ESME_RSYSERR', 'put off'],
] as const)(
  'answered with %s it is %s and counted so, together with the later reports of its message',
  async (status, becomes) => {
    const stage = stageOf({ 0: [deliveryOf('a', 1, 1), deliveryOf('a', 2)] });
    // Like the stage: deferred notices wait, and hold back later ones.
    const { take } = stage.answers;
    stage.answers.take = (event) => (stage.log.length > 0 && becomes === 'put off' ? undefined : take?.(event));
    let notTaken = 0;
    const deliverer = new AccountDeliverer(ACCOUNT.id, { ...stage.calls, onNotTaken: () => (notTaken += 1) });
    const bind = await bindOf((id) => (id === 'a.1' ? status : 'ESME_ROK'));
    deliverer.add(bind.receiver);
    await pass(3_000);
    expect(stage.log).toEqual(becomes === 'taken' ? ['a#1 taken', 'a#2 taken'] : ['a#1 put off']);
    expect(notTaken).toBe(becomes === 'taken' ? 0 : 1);
    deliverer.stop();
    await deliverer.ended;
  },
);

it('without a response within 30 s it is deferred, and the worker stops within its lease', async () => {
  const stage = stageOf({ 0: [deliveryOf('a')] });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf('silence');
  deliverer.add(bind.receiver);
  await pass(29_000);
  expect([stage.log, stage.leases.size]).toEqual([[], 1]);
  await pass(2_000);
  expect([stage.log, stage.leases.size]).toEqual([['a#1 put off'], 0]);
  deliverer.stop();
  await deliverer.ended;
});

it('a notice that an ended bind has not answered is delivered by another one immediately, and is not deferred', async () => {
  const stage = stageOf({ 0: [deliveryOf('a')] });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const [dying, other] = [await bindOf('silence'), await bindOf()];
  const remove = deliverer.add(dying.receiver);
  await turns(20);
  expect(dying.got).toEqual(['a.1']);
  deliverer.add(other.receiver);
  dying.far.destroy();
  remove();
  await pass(2_000);
  expect([other.got, stage.log]).toEqual([['a.1'], ['a#1 taken']]);
  deliverer.stop();
  await deliverer.ended;
});

it('a peer that does not answer has as much without a response as the window says, and never more', async () => {
  const many = Array.from({ length: 50 }, (_, at) => deliveryOf(`m${String(at).padStart(2, '0')}`));
  const stage = stageOf({ 0: many });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf('silence', { sendWindow: 4 });
  deliverer.add(bind.receiver);
  await pass(24_000);
  expect(bind.got).toHaveLength(4);
  stage.answers.waiting = () => [];
  // After the lease's time for sending nothing is sent, even if there is room.
  await pass(1_500);
  for (const pdu of bind.peer.read) bind.peer.answer(pdu);
  await turns(40);
  expect(bind.got).toHaveLength(4);
  expect(stage.log).toHaveLength(4);
  deliverer.stop();
  await deliverer.ended;
});

it('a peer that throttles gets nothing for a second', async () => {
  const stage = stageOf({ 0: [deliveryOf('a'), deliveryOf('b')] });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf((id) => (id === 'a.1' ? 'ESME_RTHROTTLED' : 'ESME_ROK'), { sendWindow: 1 });
  deliverer.add(bind.receiver);
  await pass(750);
  expect(bind.got).toEqual(['a.1']);
  await pass(1_000);
  expect(bind.got).toEqual(['a.1', 'b.1']);
  deliverer.stop();
  await deliverer.ended;
});

it('two processes deliver each notice once between them', async () => {
  const shards = Object.fromEntries(
    Array.from({ length: 8 }, (_, shard) => [
      shard,
      Array.from({ length: 20 }, (__, at) => deliveryOf(`${shard}-${at}`)),
    ]),
  );
  const stage = stageOf(shards);
  const deliverers = [new AccountDeliverer(ACCOUNT.id, stage.calls), new AccountDeliverer(ACCOUNT.id, stage.calls)];
  const binds = [await bindOf(), await bindOf()];
  for (const [at, deliverer] of deliverers.entries()) deliverer.add((binds[at] as (typeof binds)[0]).receiver);
  await pass(3_000);
  const all = binds.flatMap(({ got }) => got);
  expect([all.length, new Set(all).size]).toEqual([160, 160]);
  for (const { got } of binds) expect(got.length).toBeGreaterThan(0);
  for (const deliverer of deliverers) deliverer.stop();
  await Promise.all(deliverers.map((deliverer) => deliverer.ended));
});

it('a shard in which everything is deferred is skipped until the first notice is due, for five seconds at most', async () => {
  const shards: Record<number, Delivery[]> = { 0: [deliveryOf('a')] };
  const stage = stageOf(shards);
  const { take } = stage.answers;
  let takes = 0;
  let due = Date.now() + 3_000;
  stage.answers.take = (event) => {
    takes++;
    const work = take?.(event) as LeasedWork | undefined;
    if (!work || Date.now() >= due) return work;
    const deliveries = work.deliveries.filter(({ notice }) => !notice.position.startsWith('a#'));
    return { ...work, deliveries, waitsUntil: due };
  };
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf();
  deliverer.add(bind.receiver);
  await pass(2_750);
  expect([takes, bind.got]).toEqual([1, []]);
  await pass(1_500);
  expect(bind.got).toEqual(['a.1']);

  due = Date.now() + 900_000;
  shards[0] = [deliveryOf('a')];
  await pass(2_000);
  takes = 0;
  await pass(20_000);
  expect([takes >= 3, takes <= 5]).toEqual([true, true]);
  shards[0].push(deliveryOf('b'));
  await pass(6_000);
  expect(bind.got).toEqual(['a.1', 'b.1']);
  deliverer.stop();
  await deliverer.ended;
});

it('continues from page to page, and from the beginning after the last', async () => {
  const stage = stageOf({ 0: [deliveryOf('a')] });
  const afters: unknown[] = [];
  stage.answers.take = ({ after }: { after?: string }) => {
    afters.push(after);
    return { deliveries: [], sendUntil: Date.now() + 25_000, ...(after === undefined ? { next: 'p1' } : {}) };
  };
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  deliverer.add((await bindOf()).receiver);
  await pass(1_500);
  expect(afters.slice(0, 3)).toEqual([undefined, 'p1', undefined]);
  deliverer.stop();
  await deliverer.ended;
});

it('a stage that fails, or a notice that no deliver_sm can hold, is logged and stops nothing else', async () => {
  const long = { ...deliveryOf('a'), source: `+${'1'.repeat(30)}` };
  const stage = stageOf({ 0: [long, deliveryOf('b')] });
  const { waiting } = stage.answers;
  let failures = 1;
  stage.answers.waiting = (event) => {
    if (failures-- > 0) throw new Error('unavailable');
    return waiting?.(event);
  };
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf();
  deliverer.add(bind.receiver);
  await pass(1_500);
  expect(stage.log.toSorted()).toEqual(['a#1 put off', 'b#1 taken']);
  expect(stage.faults).toEqual(['smpp/round', 'smpp/deliver']);
  deliverer.stop();
  await deliverer.ended;
});

it('a shutdown sends nothing new, and releases its lease once the last response has arrived', async () => {
  const stage = stageOf({ 0: [deliveryOf('a', 1, 1), deliveryOf('a', 2)] });
  const deliverer = new AccountDeliverer(ACCOUNT.id, stage.calls);
  const bind = await bindOf('silence');
  deliverer.add(bind.receiver);
  await turns(20);
  deliverer.stop();
  const [first] = bind.peer.read;
  if (first) bind.peer.answer(first);
  await deliverer.ended;
  expect([bind.got, stage.log, stage.leases.size]).toEqual([['a.1'], ['a#1 taken'], 0]);
});

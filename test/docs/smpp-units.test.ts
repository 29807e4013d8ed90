import { expect, test } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../bench/counting-proxy.ts';
import { sendAutomated } from '../../shared/domain/api/automated-send.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { AutomationLabels, MessageOf, MessageRecord } from '../../shared/domain/message/message.ts';
import type { SmppOrigin } from '../../shared/domain/message/smpp-origin.ts';
import { applySettled } from '../../shared/domain/sending/apply-receipt.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import type { SmppAccount } from '../../shared/domain/smpp/account.ts';
import { type DeliverPorts, leaseShard, recordAnswered } from '../../shared/domain/smpp/deliver.ts';
import { WATCH_MS, workOnWatch } from '../../shared/domain/smpp/watch.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { smppAccountStore } from '../../shared/storage/smpp/accounts.ts';
import { noticeQueue } from '../../shared/storage/smpp/notices.ts';
import { watchStore } from '../../shared/storage/smpp/watches.ts';
import { accepted } from '../support/accepted.ts';
import { ofJourney } from '../support/automated.ts';
import { reportOf } from '../support/channel-sends.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';
import { cell, tableUnder } from './cost-page.ts';

let meter: CountingProxy;
const world = await use(
  startWorld('live', {
    through: async (endpoint) => {
      meter = await use(startCountingProxy(endpoint));
      return meter.endpoint;
    },
  }),
);

const consumedBy = async (work: () => Promise<unknown>) => {
  meter.reset();
  await work();
  const { writeUnits, readUnits, trips } = meter.taken();
  return { writeUnits, readUnits, trips };
};

/** The consumption of a receipt for an SMS submitted this way. */
const receiptOf = async (smpp?: SmppOrigin) => {
  const actor = await world.organization(1_000_000, false);
  const request = { channel: 'sms', to: '+5511987654321', text: 'a'.repeat(150) } as const;
  const labels = smpp ? { smpp } : {};
  const automated = { ...ofJourney(), labels: labels as AutomationLabels };
  const { id } = accepted(await sendAutomated(submitPortsOf(world), actor, automated, request)).message;
  await sendQueued(sendQueuedPortsOf(world), id);
  const message = (await world.ports.messageStore.read(id)) as MessageRecord;
  const units = await consumedBy(() => applySettled(world.ports, message, reportOf(id, 'delivered')));
  return { id, units };
};

const ports: DeliverPorts = {
  clock: () => world.now,
  notices: noticeQueue(world.table),
  messages: async (ids) =>
    new Map(
      (await world.table.getMany(ids.map(KEYS.message), { consistent: true })).flatMap((row) =>
        row ? [[messageRows.read(row).id, messageRows.read(row) as MessageOf<'sms'>] as const] : [],
      ),
    ),
  replies: async () => new Map(),
  parts: async () => new Map(),
};

test('docs/cost.md states the cost of a report over SMPP: writing, polling and delivering it', async () => {
  const accountId = newId('smppAccount');
  const plain = await receiptOf();
  const silent = await receiptOf({ accountId, receipts: [{ wants: 'never' }] });
  expect(silent.units).toEqual(plain.units);
  const { units } = await receiptOf({ accountId, receipts: [{ wants: 'always' }] });
  const written = {
    writeUnits: units.writeUnits - plain.units.writeUnits,
    readUnits: units.readUnits - plain.units.readUnits,
    trips: units.trips - plain.units.trips,
  };
  world.now += 2_000;
  let shards: readonly number[] = [];
  const look = await consumedBy(async () => {
    shards = await ports.notices.waiting(accountId, world.now);
  });
  const turn = { accountId, shard: shards[0] ?? 0, owner: 'turn-1' };
  const tell = await consumedBy(async () => {
    const [delivery] = (await leaseShard(ports, turn, undefined))?.deliveries ?? [];
    if (!delivery) throw new Error('nothing waits');
    await recordAnswered(ports, delivery);
    await ports.notices.end(turn);
  });
  const { organizationId } = await world.organization();
  const watches = watchStore(world.table);
  const watch = { accountId, organizationId, dueAt: world.now };
  await watches.begin(watch);
  const accounts = smppAccountStore(world.table);
  const watchPorts = { clock: () => world.now, notices: ports.notices, watches, waitsTooLong: () => {} };
  const watching = await consumedBy(() =>
    workOnWatch(
      {
        ...watchPorts,
        // An account that is there costs as much as one that is not, which is read here.
        accounts: { read: async (...args) => (await accounts.read(...args)) ?? ({ id: accountId } as SmppAccount) },
      },
      accountId,
    ),
  );
  expect((await watches.read(accountId))?.dueAt).toBe(world.now + WATCH_MS);
  const stated = tableUnder('What reports over SMPP consume').map((row) => [
    row[0],
    { writeUnits: cell(row, 1), readUnits: cell(row, 2), trips: cell(row, 3) },
  ]);
  expect(Object.fromEntries(stated)).toEqual({
    'A report that is written with the receipt of a send': written,
    'A check for waiting notices of an account': look,
    'A single report that is delivered': tell,
    'A check whether waiting notices of an account are delivered': watching,
  });
});

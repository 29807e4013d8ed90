import { expect, test } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../bench/counting-proxy.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { keepEarlyReceipt, matchEarlyReceipts } from '../../shared/domain/inbound/early-receipts.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { ReceiptEvent } from '../../shared/domain/message/provider-port.ts';
import { applySettled } from '../../shared/domain/sending/apply-receipt.ts';
import { earlyReceiptStore, earlyReceiptsWork } from '../../shared/storage/messages/early-receipts.ts';
import { receiptWorkItem } from '../../shared/storage/messages/receipts.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { reportOf } from '../support/channel-sends.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
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
const store = earlyReceiptStore(world.table);
let messages = 0;
const ports = {
  ...world.ports,
  ...store,
  correlate: (provider: string, reference: string) => world.ports.correlate(provider, reference, { consistent: true }),
  enqueueReceipt: (...of: Parameters<typeof receiptWorkItem>) => void world.workItems.push(receiptWorkItem(...of)),
  keepEarlyReceipt: (...of: Parameters<typeof store.keepEarlyReceipt>) => {
    messages++;
    return store.keepEarlyReceipt(...of);
  },
  postponeEarlyReceipts: (...of: Parameters<typeof store.postponeEarlyReceipts>) => {
    messages++;
    return store.postponeEarlyReceipts(...of);
  },
  countUnmatched() {},
};
const SOURCE = { provider: 'infobip', channel: 'sms' } as const;
const keep = (event: ReceiptEvent) => keepEarlyReceipt(ports, SOURCE, event);
const tryOnce = ({ providerMessageId: reference }: ReceiptEvent) =>
  matchEarlyReceipts(ports, PARSE_KEY.earlyReceipts(earlyReceiptsWork({ ...SOURCE, reference })));

const consumedBy = async (work: () => Promise<unknown>) => {
  meter.reset();
  messages = 0;
  await work();
  const { writeUnits, readUnits, trips } = meter.taken();
  return { writeUnits, readUnits, trips, messages };
};
const send = async () => {
  const { id } = accepted(await world.sms(await world.organization(1_000_000, false)));
  return (await world.ports.messageStore.read(id)) as MessageRecord;
};

test('docs/cost.md states the cost of receipts that come early, in addition to applying them', async () => {
  const [plain, early] = [await send(), await send()];
  const applied = await consumedBy(() => applySettled(ports, plain, reportOf(plain.id, 'delivered')));
  const report = reportOf(early.id, 'delivered');
  const matched = await consumedBy(async () => {
    await keep(report);
    world.now += 2_000;
    await tryOnce(report);
  });
  expect((await world.ports.messageStore.read(early.id))?.status).toBe('delivered');
  const stranger = reportOf(newId('message'), 'delivered', { providerMessageId: 'stranger' });
  const never = await consumedBy(async () => {
    await keep(stranger);
    for (const ms of [2_000, 8_000, 20_000, 60_000, 210_000]) {
      world.now += ms;
      await tryOnce(stranger);
    }
  });
  const stated = tableUnder('What early receipts consume').map((row) => [
    row[0],
    { writeUnits: cell(row, 1), readUnits: cell(row, 2), trips: cell(row, 3), messages: cell(row, 4) },
  ]);
  expect(Object.fromEntries(stated)).toEqual({
    'A receipt that is matched at the first of its later tries': {
      writeUnits: matched.writeUnits - applied.writeUnits,
      readUnits: matched.readUnits - applied.readUnits,
      trips: matched.trips - applied.trips,
      messages: matched.messages,
    },
    'A receipt of an id that is never ours': never,
  });
});

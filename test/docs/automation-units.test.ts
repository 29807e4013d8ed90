import { expect, test } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../bench/counting-proxy.ts';
import { sendAutomated } from '../../shared/domain/api/automated-send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { AutomatedSend } from '../../shared/domain/sending/automated.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { accepted } from '../support/accepted.ts';
import { aStep, ofJourney } from '../support/automated.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';
import { PAGE } from './cost-page.ts';

let meter: CountingProxy;
const world = await use(
  startWorld('live', {
    through: async (endpoint) => {
      meter = await use(startCountingProxy(endpoint));
      return meter.endpoint;
    },
  }),
);

const unitsOf = async (work: () => Promise<unknown>): Promise<number> => {
  meter.reset();
  await work();
  return meter.taken().writeUnits;
};

/** Write units of an SMS from its acceptance to its delivery. */
const measure = async (actor: Actor, automated: AutomatedSend) => {
  const request = { channel: 'sms', to: '+5511987654321', text: 'a'.repeat(150) } as const;
  let id: Id<'message'> | undefined;
  const accepting = await unitsOf(async () => {
    ({ id } = accepted(await sendAutomated(submitPortsOf(world), actor, automated, request)).message);
  });
  const message = id as Id<'message'>;
  const leaving = await unitsOf(() => sendQueued(sendQueuedPortsOf(world), message));
  const receiving = await unitsOf(() => deliverReport(world, reportOf(message, 'delivered')));
  expect(await world.ports.messageStore.read(message)).toMatchObject({ status: 'delivered' });
  return { accepting, leaving, receiving };
};

test('docs/cost.md says how many write units a step of a journey adds to an SMS, and to its receipt where a run waits for it', async () => {
  const stated =
    /counted: (\d+) more write units when it is accepted, (\d+) when it is sent and (\d+) when a\s+receipt changes its status;[^.]*\. A\s+receipt that a run waits for takes (\d+) more\./
      .exec(PAGE)
      ?.slice(1)
      .map(Number);
  const actor = await world.organization(1_000_000, false);
  const plain = await measure(actor, { ...ofJourney(), labels: {} });
  const counted = await measure(actor, ofJourney());
  const awaited = await measure(actor, ofJourney(aStep({ awaited: true })));
  const added = (['accepting', 'leaving', 'receiving'] as const).map((part) => counted[part] - plain[part]);
  expect(stated).toEqual([...added, awaited.receiving - counted.receiving]);
});

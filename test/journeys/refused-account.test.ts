import { expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { pauseJourneyOf } from '../../shared/domain/journeys/pause-refused.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { newOrganization } from '../lists/stage.ts';
import { passo } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, journeysOver, Outside } from './stage.ts';

const { table } = await use(startWorld('test'));
let now = Date.parse('2026-03-10T12:00:00Z');
const own = journeysOver(table, () => now, new Outside());
const ports = { clock: () => now, store: own.journeys };

const journeyOf = async () =>
  activeJourney(own, await newOrganization(table), {
    passos: [{ ...passo('enviar', { canal: 'sms', texto: 'Oi' }), rotulo: 'Primeiro aviso' }],
    ligacoes: [],
  });
/** A message of the journey's step that was given to its provider at a moment. */
const messageOf = ({ id: journeyId }: Journey, dispatchedAt: number) =>
  ({
    journey: { journeyId, stepId: 'enviar', runId: newId('run') },
    dispatchedAt,
    createdAt: 0,
  }) as MessageRecord;
const stateOf = async (id: Id<'journey'>) => {
  const journey = await own.journeys.find(id);
  return { status: journey?.status, pause: journey?.pause };
};

test('a journey whose provider refuses the account pauses itself at the step of the message, and is unchanged by the next one', async () => {
  const journey = await journeyOf();
  now += 1_000;
  await pauseJourneyOf(ports, messageOf(journey, now));
  const pause = { reason: 'provedor_indisponivel', step: 'enviar', label: 'Primeiro aviso', at: now };
  expect(await stateOf(journey.id)).toEqual({ status: 'pausada', pause });
  now += 1_000;
  await pauseJourneyOf(ports, messageOf(journey, now));
  expect(await stateOf(journey.id)).toEqual({ status: 'pausada', pause });
});

test('a journey that was activated after the message was handed to its provider continues', async () => {
  const journey = await journeyOf();
  await pauseJourneyOf(ports, messageOf(journey, now - 1));
  expect(await stateOf(journey.id)).toEqual({ status: 'ativa', pause: undefined });
});

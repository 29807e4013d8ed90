import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { messageEvent } from '../../shared/domain/tracking/events.ts';
import { followLink } from '../../shared/domain/tracking/follow-link.ts';
import { timelineOf } from '../../shared/domain/tracking/timeline.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { eventWrite } from '../../shared/storage/due-work/outbox.ts';
import { engagedWrite, readEngagement } from '../../shared/storage/messages/engagement.ts';
import { interactionRecorder } from '../../shared/storage/messages/interactions.ts';
import { linkStore } from '../../shared/storage/messages/links.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);

const URL_OF = 'https://loja.example/pedido';
const sent = async () => {
  const actor = await world.organization(10_000);
  const request = { body: `Acompanhe: ${URL_OF}`, trackLinks: true };
  const { id } = accepted(await world.sms(actor, 'key', request));
  const [code = ''] = /(?<=\/r\/)l\w+/.exec(JSON.stringify(world.provider.dispatched[0]?.content)) ?? [];
  const message = (await readMessage(world.table, actor.organizationId, id)) as MessageRecord;
  return { id, code, message };
};
const follow = (code: string) =>
  followLink(
    {
      clock: () => world.now,
      ...linkStore(world.table, () => {}),
      interacted: interactionRecorder(world.table, () => world.now),
      readMessage: (organizationId, id) => readMessage(world.table, organizationId, id),
    },
    code,
  );
const steps = async (message: MessageRecord) =>
  timelineOf(message, [], await readEngagement(world.table, message.id)).filter(({ kind }) =>
    ['opened', 'clicked'].includes(kind),
  );

describe('the timeline of a message', () => {
  test('has no opens and clicks, and the message no row for them, until there are some', async () => {
    const { id, message } = await sent();
    expect(await world.table.get(KEYS.engagement(id))).toBeUndefined();
    expect(await steps(message)).toEqual([]);
  });

  test('has the first click and the number of clicks, each counted once though the answers are lost', async () => {
    const { code, message } = await sent();
    world.now += 1_000;
    const first = new Date(world.now).toISOString();
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 2 }));
    expect(await follow(code)).toBe(URL_OF);
    expect(await steps(message)).toEqual([{ at: first, kind: 'clicked', detail: 'a link was followed once' }]);
    world.now += 60_000;
    for (let click = 0; click < 3; click++) expect(await follow(code)).toBe(URL_OF);
    expect(await steps(message)).toEqual([
      { at: first, kind: 'clicked', detail: 'a link was followed 4 times, first at this moment' },
    ]);
  });

  test('has one step for all opens, which are one row; a repeated report counts nothing', async () => {
    const { id, message } = await sent();
    const open = async (of: number) => {
      const event = { ...messageEvent('email.opened', message, of, {}), id: newId('event') };
      const once = { ...eventWrite(event), when: { text: 'attribute_not_exists(#pk)' } };
      const report = () => world.table.transact([once, engagedWrite(id, 'opened', of)]);
      return [(await report()).ok, (await report()).ok];
    };
    const first = world.now;
    for (let at = 0; at < 5; at++) expect(await open(first + at * 1_000)).toEqual([true, false]);
    expect(await readEngagement(world.table, id)).toEqual({
      firstOpenedAt: first,
      opened: 5,
      firstClickedAt: undefined,
      clicked: 0,
    });
    expect(await steps(message)).toHaveLength(1);
  });
});

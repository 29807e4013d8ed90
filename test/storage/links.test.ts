import { expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { followLink, type LinkPorts } from '../../shared/domain/tracking/follow-link.ts';
import { interactionRecorder } from '../../shared/storage/messages/interactions.ts';
import { linkStore } from '../../shared/storage/messages/links.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { eventIdsOf } from '../support/ids.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const URL_SENT = 'https://loja.example/pedido/42?de=sms';
const raised: Id<'event'>[] = [];

const world = await use(startWorld('test'));
const ports: LinkPorts = {
  clock: () => world.now,
  ...linkStore(world.table, (items) => void raised.push(...eventIdsOf(items))),
  interacted: interactionRecorder(world.table, () => world.now),
  readMessage: (organizationId, id) => readMessage(world.table, organizationId, id),
};

/** Sends a text with a link; the code in it, and the message's id. */
const aLink = async () => {
  const actor = await world.organization();
  const fields = { to: '+5511999990005', body: `Veja ${URL_SENT}`, trackLinks: true, metadata: { orderId: 'A-1' } };
  const { id } = accepted(await world.sms(actor, 'key', fields));
  const message = await readMessage(world.table, actor.organizationId, id);
  const text = message?.channel === 'sms' ? message.content.text : '';
  return { id, code: /\/r\/([0-9A-Za-z]+)$/.exec(text)?.[1] ?? '' };
};
const clicksOf = async (messageId: string) =>
  (await world.events([...new Set(raised)]))
    .filter(({ data }) => data.id === messageId)
    .map(({ type, data }) => ({ type, click: data.click, url: data.url, metadata: data.metadata }));

test('each of 30 clicks, five at a time, is counted and raises its event once, numbered without a gap', async () => {
  const { id, code } = await aLink();
  for (let batch = 0; batch < 6; batch++)
    expect(await Promise.all(Array.from({ length: 5 }, () => followLink(ports, code)))).toEqual(
      Array.from({ length: 5 }, () => URL_SENT),
    );
  const clicks = await clicksOf(id);
  expect(clicks.map(({ click }) => Number(click)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 1),
  );
  expect(clicks[0]).toMatchObject({ type: 'sms.clicked', url: URL_SENT, metadata: { orderId: 'A-1' } });
  expect((await ports.readLink(code))?.clicks).toBe(30);
});

test('a click whose commit was not answered is counted once', async () => {
  const { id, code } = await aLink();
  world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
  expect(await followLink(ports, code)).toBe(URL_SENT);
  expect((await ports.readLink(code))?.clicks).toBe(1);
  expect(await clicksOf(id)).toHaveLength(1);
});

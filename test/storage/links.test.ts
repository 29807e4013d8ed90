import { beforeAll, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { followLink, type LinkPorts } from '../../shared/domain/tracking/follow-link.ts';
import { linkStore } from '../../shared/storage/messages/links.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { outbox } from '../../shared/storage/work/outbox.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const URL_SENT = 'https://loja.example/pedido/42?de=sms';
const raised: Id<'event'>[] = [];
let ports: LinkPorts;

const world = await use(startWorld('test'));
beforeAll(async () => {
  ports = {
    clock: () => world.now,
    ...linkStore(world.table, (eventId) => void raised.push(eventId)),
    readMessage: (organizationId, id) => readMessage(world.table, organizationId, id),
  };
});

/** Sends a text with a link; the code that stands in it, and the message's id. */
const aLink = async () => {
  const actor = await world.organization(10_000_000);
  const sent = await sendSms(world.ports, actor, newId('request'), {
    to: '+5511999990005',
    body: `Veja ${URL_SENT}`,
    route: 'premium',
    trackLinks: true,
    metadata: { orderId: 'A-1' },
  });
  if (isRefusal(sent)) throw new Error(sent.details.detail);
  const message = await readMessage(world.table, actor.organizationId, sent.id);
  const text = message?.channel === 'sms' ? message.content.text : '';
  return { id: sent.id, code: /\/r\/([0-9A-Za-z]+)$/.exec(text)?.[1] ?? '' };
};
const clicksOf = async (messageId: string) => {
  const events = await Promise.all([...new Set(raised)].map((id) => outbox(world.table).read(id)));
  return events
    .flatMap((read) => (read?.event.data.id === messageId ? [read.event] : []))
    .map(({ type, data }) => ({ type, click: data.click, url: data.url, metadata: data.metadata }));
};

test('each of 30 clicks at once is counted and told of once, in order and without a gap', async () => {
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
  let lost = false;
  world.proxy.plan(({ action }) => {
    if (lost || action !== 'TransactWriteItems') return undefined;
    lost = true;
    return FAULTS.loseAnswer;
  });
  expect(await followLink(ports, code)).toBe(URL_SENT);
  expect((await ports.readLink(code))?.clicks).toBe(1);
  expect(await clicksOf(id)).toHaveLength(1);
});

import { describe, expect, test } from 'vitest';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { inboundIdOf } from '../../shared/domain/message/inbound-message.ts';
import { readMessage, readStored } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { anEvent } from './support.ts';

const stage = await use(inboundStage());

test('the code of a tracked link gives the origin of a message in its own organization only; unknown codes give none', async () => {
  /** Sends an SMS with a tracked link; answers the code of the link. */
  const codeOf = async (body: string, fields: object = {}) => {
    const { id } = accepted(await stage.send({ body, route: 'otp', trackLinks: true, ...fields }));
    const stored = await readMessage(stage.world.table, stage.actor.organizationId, id);
    return /\/r\/(\w+)/.exec(JSON.stringify(stored?.content))?.[1] ?? '';
  };
  const code = await codeOf('Fale: https://wa.me/5511999990000?utm_source=tiktok', { campaignId: 'bf' });
  const event = anEvent({ text: `Quero saber [${code}]`, at: stage.at(-5) });
  await stage.receive(event);
  expect(await stage.read(event)).toMatchObject({
    payload: { text: `Quero saber [${code}]` },
    origemDoLink: { fonte: 'tiktok', campanha: 'bf', codigo: code },
  });
  const other = await stage.world.organization(1);
  await receiveInbound(stage.inbound, other, event);
  const theirs = await readStored(
    stage.world.table,
    other.organizationId,
    inboundIdOf(other.organizationId, 'whatsapp', event.providerMessageId),
  );
  expect(theirs).not.toHaveProperty('origemDoLink');
  const among = anEvent({ text: `tZZZZZZZZZ ou ${code}?`, at: stage.at(-4) });
  await stage.receive(among);
  expect(await stage.read(among)).toMatchObject({
    payload: { text: `tZZZZZZZZZ ou ${code}?` },
    origemDoLink: { codigo: code },
  });
  const later = await codeOf('https://wa.me/5511999990000');
  const both = anEvent({ text: `${later}, ${code}`, at: stage.at(-3) });
  await stage.receive(both);
  expect((await stage.read(both)).origemDoLink).toEqual({ fonte: 'outra', fonteRotulo: 'sms', codigo: later });
  const unknown = anEvent({ text: 'tratamento tZZZZZZZZZ', at: stage.at(-5) });
  await stage.receive(unknown);
  expect(await stage.read(unknown)).not.toHaveProperty('origemDoLink');
});

describe('lists', () => {
  test('contain both directions, newest first, with the exact total of every filter', async () => {
    const { id } = await stage.create();
    const sent: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      sent.push(accepted(await stage.send({ route: 'otp', contactId: id, campaignId: 'bf' })).id);
      stage.world.now += 1_000;
      await stage.receive(anEvent({ channel: turn === 0 ? 'sms' : 'whatsapp', at: stage.world.now }));
      stage.world.now += 1_000;
    }
    const all = await stage.list();
    expect(all.total).toBe(6);
    expect(all.items.map(({ direction }) => direction)).toEqual([1, 2, 3].flatMap(() => ['inbound', 'outbound']));
    const totals = async (filter: object) => {
      const page = await stage.list(filter);
      expect(page.items).toHaveLength(page.total);
      return page.total;
    };
    expect(await totals({ contactId: id })).toBe(6);
    expect(await totals({ campaignId: 'bf' })).toBe(3);
    expect(await totals({ status: 'delivered' })).toBe(3);
    expect(await totals({ status: 'sent' })).toBe(3);
    expect(await totals({ status: 'archived' })).toBe(0);
    expect(await totals({ batchId: 'btc_0' })).toBe(0);
    expect(await totals({ numberId: 'num_0' })).toBe(0);
    expect(await totals({ from: stage.world.now - 2_500 })).toBe(2);
    expect(await totals({ to: stage.world.now - 2_500 })).toBe(4);
    const page = await listAllMessages(stage.world.reading, stage.actor.organizationId, {}, { skip: 1, limit: 2 });
    expect(page.items.map((each) => each.id)).toEqual(all.items.slice(1, 3).map((each) => each.id));
  });

  test('and reads are empty for another organization', async () => {
    const event = anEvent();
    await stage.receive(event);
    const other = await stage.world.organization(1);
    expect(await readStored(stage.world.table, other.organizationId, stage.idOf(event))).toBeUndefined();
    expect(await listAllMessages(stage.world.reading, other.organizationId, {}, { skip: 0, limit: 10 })).toEqual({
      items: [],
      total: 0,
    });
  });
});

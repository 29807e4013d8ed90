import { describe, expect, test } from 'vitest';
import type { ArchiveId } from '../../shared/domain/archive/ports.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import type { InboundChange } from '../../shared/domain/inbound/receive.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import type { InboundMessage } from '../../shared/domain/message/inbound-message.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { startArchive } from '../support/archive.ts';
import { idNamed } from '../support/ids.ts';
import { use } from '../support/use.ts';

const { world, expireRows, archived, erase } = await use(startArchive());

describe('an inbound message', () => {
  const FROM = '+5511999990005';
  const inboundOf = (organizationId: Id<'organization'>, fields: Partial<InboundMessage> = {}): InboundMessage => ({
    id: newId('message'),
    organizationId,
    env: 'live',
    direction: 'inbound',
    channel: 'sms',
    type: 'text',
    status: 'delivered',
    from: FROM,
    fromHash: `hash of ${FROM}`,
    to: '',
    payload: { text: 'Sim' },
    providerMessageId: newId('request'),
    sentAt: world.now,
    createdAt: world.now,
    decisions: [],
    ...fields,
  });
  const changeOf = (message: InboundMessage): InboundChange => ({ message, events: [], opensWindow: false });
  const keep = async (contactId?: Id<'contact'>) => {
    const { organizationId } = await world.organization();
    const inbound = inboundOf(organizationId, contactId === undefined ? {} : { contactId });
    const reply: ReplyRecord = {
      id: newId('reply'),
      organizationId,
      env: 'live',
      inReplyTo: newId('message'),
      from: FROM,
      body: 'Sim',
      coins: asCoins(0),
      receivedAt: world.now,
      createdAt: world.now,
    };
    const event = newEvent({ type: 'sms.received', organizationId, env: 'live', createdAt: world.now, data: {} });
    expect(await keepReply(world.table, reply, event, changeOf(inbound))).toMatchObject({ kind: 'kept' });
    await expireRows();
    return { organizationId, ids: [reply.id, inbound.id] };
  };
  const readable = async (ids: readonly ArchiveId[]) =>
    (await Promise.all(ids.map(archived))).flat().map(({ row }) => row?.from);

  test('leaves like what was written to them: the reply, and the inbound message that it also is', async () => {
    const { ids } = await keep();
    expect((await Promise.all(ids.map(archived))).flat().map(({ kind }) => kind)).toEqual(['reply', 'inbound']);
    expect(await readable(ids)).toEqual([FROM, FROM]);
  });

  test.each([
    ['its recipient', undefined, `hash of ${FROM}`],
    ['its contact', idNamed('contact', 'ana'), idNamed('contact', 'ana')],
  ])('is erased with %s, the reply as well', async (_, contactId, subject) => {
    const { ids, organizationId } = await keep(contactId);
    await erase(organizationId, subject);
    expect(await readable(ids)).toEqual([undefined, undefined]);
  });
});

import { describe, expect, test } from 'vitest';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { OwnerPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { ownerOf, type Written } from '../../shared/domain/inbound/owner.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { lastSentReference } from '../../shared/domain/message/recipient.ts';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const HOUR = 3_600_000;
const [PHONE, NUMBER, SHORT_CODE] = ['+5511999990005', '+5511400009999', '28900'];
const tenantOf = (): Tenant => ({ organizationId: newId('organization'), env: 'live' });
const [shop, bakery, stranger] = [tenantOf(), tenantOf(), tenantOf()];

interface Sent {
  readonly by: Tenant;
  /** The sender that it named; absent for the stage's own. */
  readonly as?: string;
  readonly hoursAgo: number;
  readonly channel?: Channel;
}
/** The messages sent to the phone, and the owners of the senders. */
const world = (sent: readonly Sent[], owners: Readonly<Record<string, readonly Tenant[]>> = {}) => {
  const messages = sent.map(({ by, as, hoursAgo, channel = 'sms' }) => ({
    message: { id: newId('message'), ...by, channel } as MessageRecord,
    reference: lastSentReference(channel, 'hash', as),
    at: NOW - hoursAgo * HOUR,
  }));
  const ports: OwnerPorts = {
    globalRecipientHash: async () => 'hash',
    messageStore: { read: async (id) => messages.find(({ message }) => message.id === id)?.message },
    correlate: async (_, reference) => messages.find(({ message }) => `p-${message.id}` === reference)?.message.id,
    lastSent: async (_, reference) =>
      messages
        .filter((each) => each.reference === reference)
        .map(({ message: { id, organizationId }, at }) => ({ messageId: id, organizationId, at }))
        .sort((a, b) => b.at - a.at),
    ownersOf: async (_, account) => owners[account] ?? [],
  };
  const owner = (fields: Partial<Written> = {}) =>
    ownerOf(ports, { provider: 'twilio' }, { channel: 'sms', from: PHONE, to: SHORT_CODE, at: NOW, ...fields });
  return { owner, messages };
};

describe('an answer to the own number of an organization', () => {
  const owners = { [NUMBER]: [shop] };
  const written = { to: NUMBER };

  test('belongs to it, although another organization wrote to the same phone later from another number', async () => {
    const { owner, messages } = world(
      [
        { by: shop, as: '5511400009999', hoursAgo: 5 },
        { by: bakery, as: '5511400008888', hoursAgo: 1 },
        { by: stranger, hoursAgo: 1 },
      ],
      owners,
    );
    expect(await owner(written)).toEqual({ tenant: shop, message: messages[0]?.message, others: [] });
  });

  test('belongs to it even after weeks, and if it never wrote to that phone', async () => {
    expect(await world([{ by: shop, as: '5511400009999', hoursAgo: 600 }], owners).owner(written)).toMatchObject({
      tenant: shop,
      message: { organizationId: shop.organizationId },
    });
    expect(await world([{ by: stranger, hoursAgo: 1 }], owners).owner(written)).toEqual({
      tenant: shop,
      message: undefined,
      others: [],
    });
  });

  test('belongs to it, although it refers to a message of another organization', async () => {
    const { owner, messages } = world([{ by: stranger, hoursAgo: 1 }], owners);
    expect(await owner({ ...written, inReplyTo: `p-${messages[0]?.message.id}` })).toEqual({
      tenant: shop,
      message: undefined,
      others: [],
    });
  });
});

describe('an answer on a sender that several share', () => {
  test('belongs to the organization that wrote last within 72 hours; the others of 30 days get the opt-out', async () => {
    const { owner } = world([
      { by: shop, hoursAgo: 71 },
      { by: bakery, hoursAgo: 72.1 },
      { by: stranger, hoursAgo: 31 * 24 },
    ]);
    expect(await owner()).toMatchObject({ tenant: shop, others: [bakery] });
    expect(await owner({ at: NOW + 2 * HOUR })).toBeUndefined();
  });

  test('belongs to the message that it names, however old', async () => {
    const { owner, messages } = world([
      { by: shop, hoursAgo: 1 },
      { by: bakery, hoursAgo: 100 },
    ]);
    for (const inReplyTo of [messages[1]?.message.id, `p-${messages[1]?.message.id}`])
      expect(await owner({ inReplyTo })).toMatchObject({ tenant: bakery, others: [shop] });
  });

  test('that is assigned to two organizations belongs to the one that wrote last from it', async () => {
    const owners = { [SHORT_CODE]: [shop, bakery] };
    const { owner } = world(
      [
        { by: shop, as: SHORT_CODE, hoursAgo: 2 },
        { by: bakery, as: SHORT_CODE, hoursAgo: 1 },
        { by: stranger, hoursAgo: 0.5 },
      ],
      owners,
    );
    expect(await owner()).toMatchObject({ tenant: bakery, others: [shop] });
    expect(await world([{ by: stranger, hoursAgo: 1 }], owners).owner()).toBeUndefined();
  });

  test('without any earlier message has no owner', async () => {
    expect(await world([]).owner()).toBeUndefined();
    expect(await world([{ by: shop, as: '5511400009999', hoursAgo: 1 }]).owner()).toBeUndefined();
  });
});

test('an agent of RCS decides like a number', async () => {
  const { owner } = world(
    [
      { by: shop, as: 'AGENTE', hoursAgo: 9, channel: 'rcs' },
      { by: bakery, hoursAgo: 1, channel: 'rcs' },
    ],
    { Agente: [shop] },
  );
  expect(await owner({ channel: 'rcs', to: 'Agente' })).toMatchObject({ tenant: shop, others: [] });
  expect(await owner({ channel: 'rcs', to: undefined })).toMatchObject({ tenant: bakery });
});

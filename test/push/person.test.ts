import { afterEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { sendOn } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf } from '../support/world-queued.ts';

const OPENING = 1_000;
const EACH = 10;

const world = await use(startWorld('live'));
afterEach(world.reset);

const send = (actor: Actor, key = 'key') => sendOn('push')(world, actor, key);
const money = ({ organizationId }: Actor, quiet = true) => checkMoney(world.table, organizationId, { quiet });

describe('a push to a person', () => {
  test.each([
    ['recipient', 'invalid_recipient'],
    ['content', 'content_rejected'],
    ['blacklisted', 'blacklisted'],
    ['credentials', undefined],
    ['credit', undefined],
  ] as const)(
    'whose only device is refused (%s) failed for %s, costs nothing and keeps its key',
    async (cause, reason) => {
      const actor = await world.organization(OPENING);
      world.provider.script = [{ kind: 'refused', cause, detail: 'E1' }];
      expect(await send(actor)).toMatchObject({ replayed: false, status: 'failed' });
      const { balance, messages } = await money(actor);
      expect(balance).toBe(OPENING);
      expect(messages[0]?.reason).toBe(reason);
      expect(await send(actor)).toMatchObject({ replayed: true, status: 'failed' });
      expect((await money(actor)).balance).toBe(OPENING);
    },
  );

  test('whose push service gives no certain answer is never sent again, costs nothing and keeps its key', async () => {
    const actor = await world.organization(OPENING);
    const lost: ProviderAnswer = { kind: 'unknown', detail: 'timeout' };
    world.provider.script = [lost];
    expect(await send(actor)).toMatchObject({ status: 'failed', reason: 'indeterminate' });
    expect(await send(actor)).toMatchObject({ replayed: true, status: 'failed', reason: 'indeterminate' });
    expect(world.provider.dispatched).toHaveLength(1);
    expect((await money(actor)).balance).toBe(OPENING);
  });

  test('that is repeated and recovered in any order reaches its device once and is charged once', async () => {
    const actor = await world.organization(OPENING);
    const id = parseId('message', ((await send(actor)) as { readonly id?: string }).id);
    world.now += 31_000;
    await Promise.all([1, 2, 3].map(() => sendQueued(sendQueuedPortsOf(world), id)));
    await recoverSend(world.ports, id);
    expect(world.provider.dispatched).toHaveLength(1);
    expect((await money(actor)).balance).toBe(OPENING - EACH);
  });

  test('whose message was changed by others while it was sent ends all the same, and is charged once', async () => {
    const actor = await world.organization(OPENING);
    const providerMessageId = 'p1';
    world.provider.script = [
      async ({ messageId }) => {
        await world.table.write({ update: KEYS.message(messageId), add: { fence: 1 } });
        return { kind: 'accepted', providerMessageId };
      },
    ];
    expect(await send(actor)).toMatchObject({ replayed: false, status: 'sent' });
    expect(world.provider.dispatched).toHaveLength(1);
    const { balance, messages } = await money(actor);
    expect([balance, messages[0]?.hold]).toEqual([OPENING - EACH, 'captured']);
  });

  test('with one key twenty times concurrently is one message', async () => {
    const actor = await world.organization(OPENING);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(actor)));
    const ids = new Set(answers.flatMap((answer) => (answer as { readonly id?: string }).id ?? []));
    expect(ids.size).toBe(1);
    expect(world.provider.dispatched).toHaveLength(1);
    const { balance, messages } = await money(actor);
    expect({ balance, count: messages.length }).toEqual({ balance: OPENING - EACH, count: 1 });
  });
});

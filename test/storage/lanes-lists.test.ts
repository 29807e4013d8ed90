import { beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { saoPauloMonth } from '../../shared/domain/core/time.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { findResendable } from '../../shared/storage/bulk/find-resendable.ts';
import { listMessageCursor, listMessagePage } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { type LedgerPosition, readLedger } from '../../shared/storage/wallet/ledger.ts';
import { messagesOf } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SENDS = 40;
const world = await use(startWorld('live'));
let actor: Actor;
/** Newest first, as every list shows them. */
let sent: MessageRecord[];

const newestFirst = (a: MessageRecord, b: MessageRecord) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
const idsOf = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);

beforeAll(async () => {
  actor = await world.organization(10_000_000);
  const price = priceRowOf(world.prices, 'sms', 'otp');
  if (!price) throw new Error('there is no price');
  const volume = { channel: 'sms', month: saoPauloMonth(world.now), price } as const;
  for (let at = 0; at < SENDS; at++) {
    if (at === 10 || at === 20)
      await openLanes(world.table, actor.organizationId, { coins: 1_000, units: 1, sends: 1, volume }, world.now);
    // Other processes prefer other lanes.
    seenWallet(world.table, actor.organizationId).favourite = 1 + (at % 8);
    if (at % 7 === 3) world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    const campaign = at % 2 === 0 ? { campaignId: 'spring' } : {};
    const one = await world.sms(actor, `key-${at}`, campaign);
    if (isRefusal(one) && one.name !== 'DEPENDENCY_FAILED' && one.name !== 'VALIDATION_ERROR')
      throw new Error(one.name);
    world.now += at % 3 === 0 ? 1 : 0;
  }
  sent = (await messagesOf(world.table, actor.organizationId)).sort(newestFirst);
});

describe('the messages of an organization whose sends were spread over lanes', () => {
  test('are of more than six lanes', () => {
    expect(sent).toHaveLength(SENDS);
    expect(new Set(sent.map(({ lane }) => lane)).size).toBeGreaterThan(6);
  });

  test('are listed newest first, each once, with their total, by any page size', async () => {
    for (const limit of [1, 7, 50]) {
      const pages: string[] = [];
      for (let skip = 0; skip < SENDS; skip += limit) {
        const page = await listMessagePage(world.reading, actor.organizationId, 'sms', {}, { skip, limit });
        expect(page.total).toBe(SENDS);
        pages.push(...idsOf(page.items));
      }
      expect(pages).toEqual(idsOf(sent));
    }
  });

  test('are listed with other channels’ in the same order', async () => {
    const all = await listAllMessages(world.reading, actor.organizationId, {}, { skip: 3, limit: 20 });
    expect(all.total).toBe(SENDS);
    expect(idsOf(all.items)).toEqual(idsOf(sent.slice(3, 23)));
  });

  test.each([
    ['all', {}, () => true],
    ['failed', { status: 'failed' }, ({ status }: MessageRecord) => status === 'failed'],
    ['of a campaign', { campaignId: 'spring' }, ({ campaignId }: MessageRecord) => campaignId === 'spring'],
  ] as const)('are listed by cursor, each once: %s', async (_, filter, isWanted) => {
    const wanted = idsOf(sent.filter(isWanted));
    const vault = createVault(Buffer.alloc(32, 3));
    const scope = { organizationId: actor.organizationId, env: 'live', query: { operation: 'test' } } as const;
    for (const limit of [1, 6, 50]) {
      const pages: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listMessageCursor(world.table, 'sms', filter, { vault, scope, cursor, limit });
        if (isRefusal(page)) throw new Error(page.name);
        pages.push(...idsOf(page.items));
        cursor = page.nextCursor;
      } while (cursor);
      expect(pages).toEqual(wanted);
    }
    const { total } = await listMessagePage(world.reading, actor.organizationId, 'sms', filter, { skip: 0, limit: 1 });
    expect(total).toBe(wanted.length);
  });

  test('are all found for a resend', async () => {
    const failed = sent.filter(({ status }) => status === 'failed');
    const filter = { from: 0, to: world.now + 1, status: 'failed' } as const;
    const found = await findResendable(world.table, actor.organizationId, filter, 100);
    expect([...found].sort()).toEqual(idsOf(failed).sort());
  });

  test('have their ledger lines merged by time, each balance following from the one before, by any page size', async () => {
    for (const limit of [3, 11, 200]) {
      const lines: Awaited<ReturnType<typeof readLedger>>['lines'] = [];
      let from: LedgerPosition | undefined;
      do {
        const page = await readLedger(world.table, actor.organizationId, limit, from);
        lines.push(...page.lines);
        from = page.next;
      } while (from);
      // A hold and its end of each message, and the opening credit.
      expect(lines).toHaveLength(2 * SENDS + 1);
      expect(lines.at(-1)).toMatchObject({ kind: 'credit', balanceCoins: 10_000_000 });
      for (const [at, line] of lines.slice(1).entries())
        expect(line.balanceCoins + (lines[at]?.coins ?? Number.NaN)).toBe(lines[at]?.balanceCoins);
    }
  });
});

import fc from 'fast-check';
import { expect } from 'vitest';
import { selectAudience } from '../../shared/domain/campaigns/audience.ts';
import { type Campaign, variantChooser } from '../../shared/domain/campaigns/campaign.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  startCampaign,
} from '../../shared/domain/campaigns/lifecycle.ts';
import type { PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { Crash, crashingTable } from '../support/crashing-table.ts';
import { onTransactions, tableFaults, tolerant } from '../support/fault-proxy.ts';
import type { World } from '../support/world.ts';
import { campaignPortsOver, draftTo, dueOf, workOff, workOnCampaign, writePeople } from './stage.ts';

const SMS = 800;
const HOUR_MS = 3600_000;
/** Items of the longest transaction that a fault names the reasons of. */
const FAULT_ITEMS = 100;
const FAULT_NAMES = Object.keys(tableFaults(1));

interface Work {
  readonly kind: 'work';
  /** After so many calls of the table its process ends. */
  readonly crashAfter?: number | undefined;
  readonly twice: boolean;
  /** The fault of its first transactions, and their number. */
  readonly fault?: { readonly name: string; readonly last: number } | undefined;
}
type Step =
  | Work
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'credit'; readonly sends: number }
  | { readonly kind: 'cancel' | 'pause' | 'resume' | 'send' | 'start' };
export interface CampaignHistory {
  readonly people: readonly { readonly denied: boolean }[];
  readonly opening: number;
  readonly maxSends?: number | undefined;
  readonly perMinute: number;
  readonly variants: boolean;
  readonly steps: readonly Step[];
  readonly cancelled: boolean;
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const work = fc.record({
  kind: fc.constant('work' as const),
  crashAfter: optional(fc.nat({ max: 45 })),
  twice: fc.boolean(),
  fault: fc.option(fc.record({ name: fc.constantFrom(...FAULT_NAMES), last: fc.nat({ max: 3 }) }), {
    nil: undefined,
    freq: 3,
  }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: work },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('credit' as const), sends: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const, 'send' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'start' as const) }) },
);
/** The events of a campaign's history: work that crashes, repeats and hits faults, pauses, lack of money, passing time. */
export const campaignHistories: fc.Arbitrary<CampaignHistory> = fc.record({
  people: fc.array(fc.record({ denied: fc.boolean() }), { minLength: 1, maxLength: 9 }),
  opening: fc.integer({ min: 0, max: 10 }),
  maxSends: optional(fc.integer({ min: 1, max: 10 })),
  perMinute: fc.integer({ min: 1, max: 4 }),
  variants: fc.boolean(),
  steps: fc.array(step, { maxLength: 14 }),
  cancelled: fc.boolean(),
});

const said = (name: string) => ({ channel: 'sms' as const, text: `${name} {{contact.name}}` });
const VARIANTS = ['A', 'B'].map((name, at) => ({ name, weight: 1 + at, message: said(name) }));

const isLive = ({ hold }: { readonly hold: string }): boolean => hold !== 'released';

/** The engine of campaigns over a world, beside what must come of a history. */
export const campaignModel = (world: World) => {
  const bulk = bulkWorld(world);
  const raised: DomainEvent[] = [];
  const portsOver = (table: World['table']): PortionPorts =>
    campaignPortsOver(world, table, (events) => void raised.push(...events));
  const ports = portsOver(world.table);

  const credit = ({ organizationId, env }: Actor, coins: number) =>
    creditWallet(world.table, { organizationId, env, coins, description: 'Credit', now: world.now });

  /** Works on what is due, perhaps twice at once, perhaps in a process that ends after some calls; faults meet its transactions. */
  const workOnce = async (id: Id<'campaign'>, { crashAfter, twice, fault }: Work): Promise<void> => {
    const own = crashAfter === undefined ? ports : portsOver(crashingTable(world.table, crashAfter));
    const items = await dueOf(world, id);
    if (fault) world.proxy.plan(onTransactions(tableFaults(FAULT_ITEMS)[fault.name] ?? { kind: 'drop' }, fault));
    try {
      for (const item of items) {
        const both = [workOnCampaign(own, item), ...(twice ? [workOnCampaign(ports, item)] : [])].map(tolerant);
        const [crashed] = (await Promise.allSettled(both)).filter(({ status }) => status === 'rejected');
        if (!crashed) continue;
        if ('reason' in crashed && crashed.reason instanceof Crash) return;
        await Promise.all(both);
      }
    } finally {
      world.proxy.plan(undefined);
    }
  };

  /** Lets something happen; answers whether it ended the campaign. */
  const take = async (actor: Actor, id: Id<'campaign'>, each: Step): Promise<boolean> => {
    if (each.kind === 'work') await workOnce(id, each);
    else if (each.kind === 'pass') world.now += each.minutes * 60_000;
    else if (each.kind === 'credit') await credit(actor, each.sends * SMS);
    else if (each.kind === 'pause') await pauseCampaign(ports, actor, id);
    else if (each.kind === 'resume') await resumeCampaign(ports, actor, id);
    else if (each.kind === 'cancel') return !isRefusal(await cancelCampaign(ports, actor, id));
    else if (each.kind === 'start') await startCampaign(ports, actor, id);
    else await bulk.dispatch();
    return false;
  };

  /** Whether no recipient is left to send to. */
  const isSent = async (id: Id<'campaign'>): Promise<boolean> => {
    const campaign = (await ports.store.readById(id)) as Campaign;
    const { status, drive } = campaign;
    const { portionsDone } = await ports.figures(campaign);
    return (status === 'cancelled' || drive?.portioned === true) && portionsDone === drive?.portions;
  };
  /** Lets a campaign come to its end with all the coins that it wants. */
  const finish = async (actor: Actor, id: Id<'campaign'>): Promise<void> => {
    await credit(actor, 20 * SMS);
    for (let round = 0; round < 2 || !(await isSent(id)); round++) {
      if (round > 16) throw new Error('the campaign does not come to its end');
      if ((await ports.store.readById(id))?.status === 'paused')
        await resumeCampaign(ports, actor, id, { maxCoins: 1_000 * SMS });
      await workOff(world, ports, id);
      await bulk.dispatch();
      world.now += 120_000;
    }
    await bulk.settle();
    for (let look = 0; look < 3; look++) {
      await workOff(world, ports, id);
      world.now += 73 * HOUR_MS;
    }
  };

  const checkEnd = async (actor: Actor, campaign: Campaign, contacts: readonly Contact[], may: readonly string[]) => {
    const messages = (await bulk.messages(actor)).filter(isLive);
    const written = messages.map(({ contactId = '' }) => contactId);
    expect(new Set(written).size).toBe(written.length);
    if (campaign.status === 'cancelled') expect(written.filter((id) => !may.includes(id))).toEqual([]);
    else expect(new Set<string>(written)).toEqual(new Set(may));
    const figures = await ports.figures(campaign);
    expect(figures).toMatchObject({ accepted: messages.length + figures.unsent, coinsHeld: 0 });
    // Cancelled before all of its portions were made, it has recipients that are in none.
    const { total = 0, portioned = false } = campaign.drive ?? {};
    expect(figures.skipped + messages.length + figures.unsent).toBeLessThanOrEqual(total);
    if (portioned) expect(figures.skipped + figures.accepted).toBe(total);
    expect(figures.coinsCaptured).toBe(messages.reduce((sum, { coins }) => sum + coins, 0));
    const choose = variantChooser(campaign);
    for (const { contactId, content } of messages) {
      const contact = contacts.find(({ id }) => id === contactId);
      const variant = campaign.variants?.[choose(contact?.number ?? -1)];
      expect(JSON.stringify(content)).toContain(`${variant?.name ?? 'Oi'} ${contact?.name}`);
    }
    await bulk.sentOnce(actor, messages.length);
    return messages.length;
  };

  /** Lives a history to its end; throws where a person has no message or two, or a coin is missing. Answers how many messages it sent. */
  const run = async (history: CampaignHistory): Promise<number> => {
    world.provider.dispatched.length = 0;
    raised.length = 0;
    const actor = await world.organization(history.opening * SMS + 1);
    const contacts = await writePeople(world, actor, history.people);
    const maxCoins = history.maxSends === undefined ? undefined : history.maxSends * SMS;
    const message = history.variants ? undefined : said('Oi');
    const variants = history.variants ? VARIANTS : undefined;
    const id = await draftTo(ports, actor, contacts, { message, variants, perMinute: history.perMinute, maxCoins });
    const previewed = await selectAudience(ports.audience, (await ports.store.readById(id)) as Campaign);
    expect(isRefusal(await startCampaign(ports, actor, id))).toBe(false);
    let isCancelled = false;
    for (const each of history.steps) isCancelled = (await take(actor, id, each)) || isCancelled;
    if (maxCoins !== undefined) {
      const spent = (await bulk.messages(actor)).filter(isLive).reduce((sum, { coins }) => sum + coins, 0);
      expect(spent).toBeLessThanOrEqual(maxCoins);
    }
    if (history.cancelled) isCancelled = (await take(actor, id, { kind: 'cancel' })) || isCancelled;
    await finish(actor, id);
    const may = contacts.filter((_, at) => !history.people[at]?.denied).map((contact) => contact.id);
    expect(previewed).toMatchObject({ excluded: { optedOut: contacts.length - may.length } });
    const campaign = (await ports.store.readById(id)) as Campaign;
    expect(campaign.status).toBe(isCancelled ? 'cancelled' : 'completed');
    const times = (type: string) => raised.filter((event) => event.type === type).length;
    expect([times('campaign.started'), times('campaign.completed')]).toEqual([1, isCancelled ? 0 : 1]);
    return checkEnd(actor, campaign, contacts, may);
  };
  return { run };
};

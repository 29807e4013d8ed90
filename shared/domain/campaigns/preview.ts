import { automatedSend } from '../api/automated-send.ts';
import type { NumberSet } from '../audience/number-set.ts';
import { channelOf, writtenText } from '../channels/registry.ts';
import type { Contact } from '../contacts/contact.ts';
import { fitsFrom, type SentByHour } from '../contacts/frequency.ts';
import { shownContact } from '../contacts/shown-contact.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { definedFields } from '../core/patch.ts';
import { numberOrigin } from '../core/phone.ts';
import type { PriceRow } from '../pricing/prices.ts';
import type { SendPlan } from '../sending/plan.ts';
import { quote } from '../sending/quote.ts';
import { selectAudience } from './audience.ts';
import { type Campaign, DEFER_MS, variantChooser, variantsOf } from './campaign.ts';
import { audienceMissing, findCampaign } from './campaigns.ts';
import { type Composed, composeAll } from './compose.ts';
import { NO_ADDRESS, reasonOf } from './judge.ts';
import type { PortionPorts } from './ports.ts';

/**
 * The sample size: recipients whose messages a preview composes and prices, spread over all; with more recipients, price and countries are
 * estimates.
 */
const SAMPLE = 500;
/** Messages shown in a preview. */
const SHOWN = 3;
const CONCURRENT_PLANS = 16;

/** Every nth contact of a set, so that old and new contacts are represented evenly. */
const spread = (numbers: NumberSet): number[] => {
  const step = Math.max(1, numbers.size / SAMPLE);
  const chosen: number[] = [];
  let [place, at] = [0, 0];
  for (const number of numbers) {
    if (place === Math.floor(at * step)) {
      chosen.push(number);
      at++;
    }
    place++;
  }
  return chosen.slice(0, SAMPLE);
};

interface PlannedMessage {
  readonly composed: Composed;
  readonly plan: SendPlan | undefined;
  /** Why it would not be sent, as a recipient's reason. */
  readonly refused?: string;
}

const planAll = (ports: PortionPorts, campaign: Campaign, composed: readonly Composed[]): Promise<PlannedMessage[]> =>
  mapConcurrently(composed, CONCURRENT_PLANS, async (one) => {
    const labels = { origin: 'automation' as const, campaign: campaign.id };
    const planned = await ports.bulk.plan(campaign, automatedSend(one.body, { labels }));
    return isRefusal(planned)
      ? { composed: one, plan: undefined, refused: reasonOf(planned) }
      : { composed: one, plan: planned.plan };
  });

const countryOf = ({ phone }: Contact): string => numberOrigin(phone)?.country ?? 'ZZ';

/** The sample's price, scaled up: the units of each price row together, so that the month's volume bands apply. */
const priceOf = async (ports: PortionPorts, campaign: Campaign, planned: readonly PlannedMessage[], scale: number) => {
  const rows = new Map<string, { price: PriceRow; units: number; byCountry: Map<string, number> }>();
  for (const { plan, composed } of planned) {
    if (!plan) continue;
    const name = JSON.stringify(plan.price);
    const row = rows.get(name) ?? { price: plan.price, units: 0, byCountry: new Map<string, number>() };
    const country = channelOf(plan.channel).recipient === 'phone' ? countryOf(composed.contact) : '';
    row.units += plan.units;
    row.byCountry.set(country, (row.byCountry.get(country) ?? 0) + plan.units);
    rows.set(name, row);
  }
  const coinsOf = new Map<string, number>();
  for (const { price, units, byCountry } of rows.values()) {
    const { coins } = await quote(ports.bulk, campaign.organizationId, campaign.env, price, Math.round(units * scale));
    for (const [country, own] of byCountry) coinsOf.set(country, (coinsOf.get(country) ?? 0) + (coins * own) / units);
  }
  return coinsOf;
};

const recipientsByCountry = (planned: readonly PlannedMessage[], scale: number): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { plan, composed } of planned)
    if (plan && channelOf(plan.channel).recipient === 'phone') {
      const country = countryOf(composed.contact);
      counts.set(country, (counts.get(country) ?? 0) + scale);
    }
  return counts;
};

/** Recipients of a sample whom a frequency cap would still hold back when their portion stops retrying. */
const cappedOf = async (ports: PortionPorts, { frequencyCap }: Campaign, contacts: readonly Contact[]) => {
  if (!frequencyCap || contacts.length === 0) return new Set<Contact['id']>();
  const now = ports.clock();
  const sent = await ports.bulk.store.sentTo(contacts.map(({ id }) => id));
  const isCapped = (byHour: SentByHour) => fitsFrom(byHour, frequencyCap, now) > now + DEFER_MS;
  return new Set(sent.flatMap(({ byHour }, at) => (isCapped(byHour) ? (contacts[at]?.id ?? []) : [])));
};

/** Rendered messages, masked as the caller requires. */
const shownMessages = async (ports: PortionPorts, actor: Actor, campaign: Campaign, composed: readonly Composed[]) => {
  const unmasked = actor.scopes.has('pii:full');
  const seen = composed.map(({ number, contact }) => [number, shownContact(contact, unmasked)] as const);
  const shown = await composeAll(ports, campaign, seen);
  const [variants, choose] = [variantsOf(campaign), variantChooser(campaign)];
  return composed.map(({ number, body: { channel, to }, contact }, at) => {
    const { text, template, variables } = shown[at]?.body ?? {};
    const written = writtenText(channel, text);
    return {
      contactId: contact.id,
      channel,
      to: unmasked ? to : channelOf(channel).mask(to),
      ...definedFields({ variant: variants[choose(number)]?.name, text: written, template, variables }),
    };
  });
};

/**
 * Previews a campaign as if it started now (docs/spec/campaigns.md#preview). Nothing is stored, sent or charged. The number of recipients
 * is exact, from the same selection as its start; price, countries and recipients held back by caps are estimated from a sample, and exact
 * if it covers everybody.
 */
export const previewCampaign = async (
  ports: PortionPorts,
  actor: Actor,
  id: Id<'campaign'>,
): Promise<Awaited<ReturnType<typeof preview>> | Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const campaign = await findCampaign(ports, actor, id);
  return isRefusal(campaign) ? campaign : preview(ports, actor, campaign);
};

const rounded = (amounts: ReadonlyMap<string, number>, country: string): number =>
  Math.round(amounts.get(country) ?? 0);

const preview = async (ports: PortionPorts, actor: Actor, campaign: Campaign) => {
  const [selected, balanceCoins] = await Promise.all([
    selectAudience(ports.audience, campaign),
    ports.bulk.balance(actor.organizationId),
  ]);
  if ('missing' in selected) return audienceMissing(selected.missing) as Refusal<'VALIDATION_ERROR'>;
  const { reach, excluded } = selected;
  const numbers = spread(reach);
  const found = await ports.contactsOf(actor.organizationId, numbers);
  const contacts = numbers.flatMap((number) => {
    const contact = found.get(number);
    return contact ? [[number, contact] as const] : [];
  });
  const messages = await composeAll(ports, campaign, contacts);
  const composed = messages.filter((one) => one !== undefined);
  const [planned, capped] = await Promise.all([
    planAll(ports, campaign, composed),
    cappedOf(
      ports,
      campaign,
      composed.map(({ contact }) => contact),
    ),
  ]);
  const scale = contacts.length === 0 ? 1 : reach.size / contacts.length;
  const addressed = planned.filter(({ refused }) => refused !== NO_ADDRESS);
  const unaddressed = Math.round((contacts.length - addressed.length) * scale);
  // A recipient without an address is excluded for that reason alone.
  const reached = addressed.filter(({ composed: { contact } }) => !capped.has(contact.id));
  const frequencyCap = Math.round((addressed.length - reached.length) * scale);
  const coinsOf = await priceOf(ports, campaign, reached, scale);
  const coins = Math.round([...coinsOf.values()].reduce((sum, one) => sum + one, 0));
  const recipients = recipientsByCountry(reached, scale);
  return {
    reach: reach.size - frequencyCap - unaddressed,
    excluded: { ...excluded, noAddress: excluded.noAddress + unaddressed, frequencyCap },
    price: { coins },
    wallet: { balanceCoins },
    enough: balanceCoins >= coins,
    byCountry: Object.fromEntries(
      [...recipients.keys()].map((country) => [
        country,
        { recipients: rounded(recipients, country), coins: rounded(coinsOf, country) },
      ]),
    ),
    samples: await shownMessages(ports, actor, campaign, composed.slice(0, SHOWN)),
    estimated: reach.size > numbers.length,
  };
};

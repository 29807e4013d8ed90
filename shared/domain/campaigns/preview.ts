import { type AutomatedRequest, automatedSend } from '../api/automated-send.ts';
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
import type { TemplateTexts } from '../message/define-channel.ts';
import type { PriceRow } from '../pricing/prices.ts';
import type { SendPlan } from '../sending/plan.ts';
import { quote } from '../sending/quote.ts';
import type { ReadTemplateTexts } from '../sending/template-texts.ts';
import { selectAudience } from './audience.ts';
import { type Campaign, DEFER_MS, variantChooser, variantsOf } from './campaign.ts';
import { audienceMissing, findCampaign } from './campaigns.ts';
import { type Composed, composeAll, scopeOf } from './compose.ts';
import { NO_ADDRESS, reasonOf } from './judge.ts';
import type { PortionPorts } from './ports.ts';

/**
 * The sample size: recipients whose messages a preview composes and prices, spread over all; with more recipients, price and countries are
 * estimates.
 */
const SAMPLE = 500;
/** Messages shown in a preview, and the most characters of each text. */
const SHOWN = 3;
const MAX_TEXT = 100_000;
const CONCURRENT_PLANS = 16;

/** Ports of a preview: those of the sends that it plans, and the texts of templates for its samples. */
export interface PreviewPorts extends PortionPorts {
  readonly templateTexts: ReadTemplateTexts;
}

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

/** Why a recipient of the sample is excluded; each counts once, for the first that applies. */
const SAMPLED_EXCLUSIONS = ['noAddress', 'optedOut', 'maxCoins', 'frequencyCap'] as const;
type SampledExclusion = (typeof SAMPLED_EXCLUSIONS)[number];

interface PlannedMessage {
  readonly composed: Composed;
  readonly plan: SendPlan | undefined;
  readonly excluded?: SampledExclusion | undefined;
}

/** Exclusions by the reason for which the start skips the recipient. Other refusals leave a recipient in the reach, without a price. */
const EXCLUDED_FOR: ReadonlyMap<string, SampledExclusion> = new Map([
  [NO_ADDRESS, 'noAddress'],
  ['opt_out', 'optedOut'],
]);

const planOne = async (ports: PortionPorts, campaign: Campaign, composed: Composed): Promise<PlannedMessage> => {
  const labels = { origin: 'automation' as const, campaign: campaign.id };
  const planned = await ports.bulk.plan(campaign, automatedSend(composed.body, { labels }));
  if (isRefusal(planned)) return { composed, plan: undefined, excluded: EXCLUDED_FOR.get(reasonOf(planned)) };
  const { plan } = planned;
  const { maxCoins } = composed.body;
  if (maxCoins === undefined) return { composed, plan };
  const { coins } = await quote(ports.bulk, campaign.organizationId, campaign.env, plan.price, plan.units);
  return coins > maxCoins ? { composed, plan, excluded: 'maxCoins' } : { composed, plan };
};

/** The messages as planned, those beyond a cap marked: a cap holds back no transactional message. */
const planAll = async (ports: PortionPorts, campaign: Campaign, composed: readonly Composed[]) => {
  const contacts = composed.map(({ contact }) => contact);
  const [planned, capped] = await Promise.all([
    mapConcurrently(composed, CONCURRENT_PLANS, (one) => planOne(ports, campaign, one)),
    cappedOf(ports, campaign, contacts),
  ]);
  return planned.map((one): PlannedMessage => {
    const isCapped = one.plan?.requiresConsent !== false && capped.has(one.composed.contact.id);
    return isCapped && !one.excluded ? { ...one, excluded: 'frequencyCap' } : one;
  });
};

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

/** Recipients and coins by the country of phones. */
const countriesOf = (planned: readonly PlannedMessage[], coinsOf: ReadonlyMap<string, number>, scale: number) => {
  const counts = new Map<string, number>();
  for (const { plan, composed } of planned)
    if (plan && channelOf(plan.channel).recipient === 'phone') {
      const country = countryOf(composed.contact);
      counts.set(country, (counts.get(country) ?? 0) + scale);
    }
  return Object.fromEntries(
    [...counts].map(([country, recipients]) => [
      country,
      { recipients: Math.round(recipients), coins: Math.round(coinsOf.get(country) ?? 0) },
    ]),
  );
};

/**
 * The excluded recipients of the sample, scaled up; `unaddressed` ones were not even planned. Each number is rounded together with those
 * before it, so that they never exceed the recipients.
 */
const unreachedOf = (planned: readonly PlannedMessage[], unaddressed: number, scale: number) => {
  const counts = { noAddress: 0, optedOut: 0, maxCoins: 0, frequencyCap: 0 };
  let [seen, all] = [unaddressed, 0];
  for (const exclusion of SAMPLED_EXCLUSIONS) {
    seen += planned.filter(({ excluded }) => excluded === exclusion).length;
    counts[exclusion] = Math.round(seen * scale) - all;
    all += counts[exclusion];
  }
  return { counts, all };
};

/** Recipients of a sample whom a frequency cap would still hold back when their portion stops retrying. */
const cappedOf = async (ports: PortionPorts, { frequencyCap }: Campaign, contacts: readonly Contact[]) => {
  if (!frequencyCap || contacts.length === 0) return new Set<Contact['id']>();
  const now = ports.clock();
  const sent = await ports.bulk.store.sentTo(contacts.map(({ id }) => id));
  const isCapped = (byHour: SentByHour) => fitsFrom(byHour, frequencyCap, now) > now + DEFER_MS;
  return new Set(sent.flatMap(({ byHour }, at) => (isCapped(byHour) ? (contacts[at]?.id ?? []) : [])));
};

const textsOf = async (
  ports: PreviewPorts,
  campaign: Campaign,
  body: AutomatedRequest | undefined,
): Promise<TemplateTexts> =>
  body ? ports.templateTexts(campaign, automatedSend(body, { labels: { origin: 'automation' } })) : {};

/**
 * Rendered messages, showing no more of the contacts than the caller may see: without `contacts:read` nothing is filled in, since whoever
 * writes the texts chooses the fields.
 */
const shownMessages = async (
  ports: PreviewPorts,
  { scopes }: Actor,
  campaign: Campaign,
  composed: readonly Composed[],
) => {
  const readable = scopes.has('contacts:read');
  const unmasked = readable && scopes.has('pii:full');
  const seen = composed.map(({ number, contact }) => [number, contact] as const);
  const shown = await composeAll(ports, campaign, seen, (contact) =>
    readable ? scopeOf(shownContact(contact, unmasked)) : {},
  );
  const [variants, choose] = [variantsOf(campaign), variantChooser(campaign)];
  const samples = composed.map(async ({ number, body: { channel, to }, contact }, at) => {
    const body = shown[at]?.body;
    const { template, variables } = body ?? {};
    const { text = body?.text, subject } = await textsOf(ports, campaign, body && { ...body, channel, to });
    return {
      contactId: contact.id,
      channel,
      to: unmasked ? to : channelOf(channel).mask(to),
      ...definedFields({
        variant: variants[choose(number)]?.name,
        subject,
        text: writtenText(channel, text)?.slice(0, MAX_TEXT).toWellFormed(),
        template,
        variables,
      }),
    };
  });
  return Promise.all(samples);
};

/**
 * Previews a campaign as if it started now (docs/spec/campaigns.md#preview). Nothing is stored, sent or charged. The number of recipients
 * is exact, from the same selection as its start; price, countries and the recipients that the start would skip at the send are estimated
 * from a sample, and exact if it covers everybody.
 */
export const previewCampaign = async (
  ports: PreviewPorts,
  actor: Actor,
  id: Id<'campaign'>,
): Promise<Awaited<ReturnType<typeof preview>> | Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const campaign = await findCampaign(ports, actor, id);
  return isRefusal(campaign) ? campaign : preview(ports, actor, campaign);
};

const preview = async (ports: PreviewPorts, actor: Actor, campaign: Campaign) => {
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
  const planned = await planAll(ports, campaign, composed);
  const scale = contacts.length === 0 ? 1 : reach.size / contacts.length;
  const { counts, all } = unreachedOf(planned, contacts.length - composed.length, scale);
  const reached = planned.filter((one) => !one.excluded);
  const coinsOf = await priceOf(ports, campaign, reached, scale);
  const coins = Math.round([...coinsOf.values()].reduce((sum, one) => sum + one, 0));
  return {
    reach: reach.size - all,
    excluded: {
      ...excluded,
      ...(composed.some(({ body }) => body.maxCoins !== undefined) ? { maxCoins: counts.maxCoins } : {}),
      frequencyCap: counts.frequencyCap,
      noAddress: excluded.noAddress + counts.noAddress,
      optedOut: excluded.optedOut + counts.optedOut,
    },
    price: { coins },
    wallet: { balanceCoins },
    enough: balanceCoins >= coins,
    byCountry: countriesOf(reached, coinsOf, scale),
    samples: await shownMessages(ports, actor, campaign, composed.slice(0, SHOWN)),
    estimated: reach.size > numbers.length,
  };
};

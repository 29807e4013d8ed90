import type { Actor } from '../actor.ts';
import { isRefusal } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import type { FlowPorts } from '../flows/flow.ts';
import { updateFlow } from '../flows/flows.ts';
import { standingOf } from '../flows/publish.ts';
import type { PlatformEvent } from '../messages/provider.ts';
import { categoryOf, reviewed, reviewStatus, shelved } from '../templates/review.ts';
import type { TemplatePorts, WhatsappTemplate } from '../templates/template.ts';
import { updateTemplate } from '../templates/templates.ts';
import { componentsNow } from '../templates/words.ts';
import { tierOf } from './limits.ts';
import type { Heard, NameStatus, RemovalReason, Side, WhatsappNumber } from './number.ts';
import { type NumberUpdate, updateNumber } from './numbers.ts';
import { PLATFORM_FLOW_STATUSES } from './platform.ts';
import { qualityEvents } from './quality.ts';
import { accountState, accountWord, statusAfter } from './standing.ts';

type Owner = Pick<Actor, 'organizationId' | 'env'>;
type Ports = Pick<TemplatePorts & FlowPorts, 'clock' | 'flows' | 'numbers' | 'templates'>;
/** What a platform says of a template, a flow, a number or an account; what it says of a person is none of these. */
export type PlatformReport = Exclude<PlatformEvent, { about: 'preference' }>;
type EventAbout<A extends PlatformEvent['about']> = Extract<PlatformEvent, { about: A }>;

/** What became of a report: applied; known already, or older than what is known; about nothing that the organization has. */
export type PlatformEffect = 'kept' | 'repeated' | 'unmatched';

/** Words that stand for a beginning: in the second in which one is said, every other is the later. */
const BEGINNINGS: ReadonlySet<string> = new Set(['DRAFT', 'PENDING', 'IN_APPEAL', 'DEFERRED']);
const placeOf = (word: string): string => `${BEGINNINGS.has(word) ? 0 : 1}${word}`;

/**
 * Whether a report is later than the last that was applied. The platform's clock has whole seconds: of one second's reports a beginning
 * comes first, and of the others the word that sorts last holds, so that any order and any repeats end alike. Its clock is never compared
 * with ours.
 */
const isLater = (event: Heard, heard: Heard | undefined): boolean =>
  heard === undefined || event.at > heard.at || (event.at === heard.at && placeOf(event.event) > placeOf(heard.event));

/** A change of a number by a report on one of its sides; undefined when a later one was applied. */
const heardOn = (
  before: WhatsappNumber,
  side: Side,
  { at, event }: Heard,
  update: NumberUpdate,
): NumberUpdate | undefined =>
  isLater({ at, event }, before.heard[side])
    ? { ...update, fields: { ...update.fields, heard: { ...before.heard, [side]: { at, event } } } }
    : undefined;

type Change = (before: WhatsappNumber, now: number) => NumberUpdate | undefined;

const applyTo = async (ports: Ports, owner: Owner, number: WhatsappNumber, change: Change): Promise<PlatformEffect> => {
  let changed = false;
  const outcome = await updateNumber(ports, owner, number.id, (before, now) => {
    const update = change(before, now);
    changed = update !== undefined;
    return update;
  });
  if (isRefusal(outcome)) return 'unmatched';
  return changed ? 'kept' : 'repeated';
};

/** The effect of several: what was kept anywhere was kept. */
const together = (effects: readonly PlatformEffect[]): PlatformEffect => {
  if (effects.length === 0) return 'unmatched';
  return effects.includes('kept') ? 'kept' : effects.includes('repeated') ? 'repeated' : 'unmatched';
};

/**
 * What a report on a number's quality changes (phone_number_quality_update): FLAGGED and UNFLAGGED tell that the quality fell to low or
 * rose from it, THROUGHPUT_UPGRADE that more leaves in a second, and the others the tier.
 */
const qualityChange =
  ({ at, event, currentLimit }: EventAbout<'number_quality'>, env: Owner['env']): Change =>
  (before, now) => {
    const heard = { at, event };
    if (event === 'THROUGHPUT_UPGRADE') return heardOn(before, 'throughput', heard, { fields: { throughput: 'high' } });
    const messagingTier = currentLimit === undefined ? undefined : tierOf(currentLimit);
    const tier = messagingTier && heardOn(before, 'tier', heard, { fields: { messagingTier } });
    if (event !== 'FLAGGED' && event !== 'UNFLAGGED') return tier;
    const flagged = event === 'FLAGGED';
    const qualityRating = flagged ? 'red' : before.qualityRating === 'red' ? 'yellow' : before.qualityRating;
    const status = statusAfter(before, 'quality', heard);
    // A tier that is newer than this quality is kept, and the reverse: each side has its own last word.
    const base = { ...before, heard: tier?.fields.heard ?? before.heard };
    const quality = heardOn(base, 'quality', heard, {
      fields: { qualityRating, status },
      events: qualityEvents(before, qualityRating, env, now),
    });
    return quality ? { ...quality, fields: { ...tier?.fields, ...quality.fields } } : tier;
  };

const REMOVALS: readonly string[] = ['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED'] satisfies RemovalReason[];
const RETURNS: readonly string[] = ['PARTNER_ADDED', 'PARTNER_APP_INSTALLED'];

/** A removal is a mark alone: status and history stay (interface 2.14). Mark and reason come and go together. */
const accountChange =
  (report: EventAbout<'account'>): Change =>
  (before) => {
    const { event } = report;
    if (REMOVALS.includes(event))
      return heardOn(before, 'partner', report, {
        fields: { partnerRemovedAt: report.at, partnerRemovedReason: event as RemovalReason },
      });
    if (RETURNS.includes(event))
      return heardOn(before, 'partner', report, {
        fields: { partnerRemovedAt: undefined, partnerRemovedReason: undefined },
      });
    const heard = { at: report.at, event: accountWord(report) };
    if (accountState(heard.event) === undefined) return undefined;
    return heardOn(before, 'account', heard, { fields: { status: statusAfter(before, 'account', heard) } });
  };

const digits = (phone: string): string => phone.replaceAll(/\D/g, '');

const ownNumbers = async (
  { numbers }: Ports,
  { organizationId }: Owner,
  { wabaId, displayPhone: shown }: { readonly wabaId: string; readonly displayPhone: string },
) =>
  (await numbers.ofAccount(organizationId, wabaId)).filter(
    ({ displayPhone }) => digits(displayPhone) === digits(shown),
  );

const applyQuality = async (ports: Ports, owner: Owner, event: EventAbout<'number_quality'>) => {
  const own = await ownNumbers(ports, owner, event);
  return together(
    await Promise.all(own.map((number) => applyTo(ports, owner, number, qualityChange(event, owner.env)))),
  );
};

const applyAccount = async (ports: Ports, owner: Owner, event: EventAbout<'account'>) => {
  const numbers = await ports.numbers.ofAccount(owner.organizationId, event.wabaId);
  return together(await Promise.all(numbers.map((number) => applyTo(ports, owner, number, accountChange(event)))));
};

const applyLimit = async (ports: Ports, owner: Owner, { at, wabaId, limit }: EventAbout<'account_limit'>) => {
  const numbers = await ports.numbers.ofAccount(owner.organizationId, wabaId);
  const messagingTier = tierOf(limit);
  const change: Change = (before) =>
    messagingTier && heardOn(before, 'tier', { at, event: limit }, { fields: { messagingTier } });
  return together(await Promise.all(numbers.map((number) => applyTo(ports, owner, number, change))));
};

const NAME_STATUS_OF: Readonly<Record<string, NameStatus>> = {
  APPROVED: 'approved',
  DEFERRED: 'pending',
  PENDING: 'pending',
  REJECTED: 'rejected',
};

/** What the review of a name changes. While a new name is reviewed or was refused, the one that was approved before goes on being shown. */
const applyName = async (ports: Ports, owner: Owner, { at, decision, name, ...of }: EventAbout<'number_name'>) => {
  const nameStatus = Object.hasOwn(NAME_STATUS_OF, decision) ? NAME_STATUS_OF[decision] : undefined;
  const change: Change = (before) => {
    if (nameStatus === undefined) return undefined;
    const keeps = nameStatus !== 'approved' && before.nameStatus === 'approved' && before.verifiedName !== name;
    const verifiedName = nameStatus === 'approved' ? name : before.verifiedName;
    return heardOn(before, 'name', { at, event: decision }, { fields: keeps ? {} : { nameStatus, verifiedName } });
  };
  const own = await ownNumbers(ports, owner, of);
  return together(await Promise.all(own.map((number) => applyTo(ports, owner, number, change))));
};

/** The platform blocks, throttles and releases flows by itself. */
const applyFlow = async (ports: Ports, owner: Owner, event: EventAbout<'flow'>): Promise<PlatformEffect> => {
  const platformStatus = PLATFORM_FLOW_STATUSES.find((each) => each === event.status);
  const id = platformStatus && (await ports.flows.named(owner.organizationId, event));
  if (!id) return 'unmatched';
  const said = { at: event.at, event: event.status };
  let changed = false;
  const outcome = await updateFlow(ports, owner, id, (before) => {
    const final = platformStatus === 'DEPRECATED' && before.platformStatus !== platformStatus;
    changed = before.status !== 'draft' && (final || isLater(said, before.heard));
    return changed ? { ...standingOf(before, platformStatus), heard: said } : undefined;
  });
  if (isRefusal(outcome)) return 'unmatched';
  return changed ? 'kept' : 'repeated';
};

type TemplateReport = EventAbout<'template'> | EventAbout<'template_category'> | EventAbout<'template_components'>;
/** Whether a report is about this very template: the platform's id where it is known, else account, name and language. */
const isOf = (template: WhatsappTemplate, event: TemplateReport): boolean =>
  template.wabaId === event.wabaId &&
  template.language === event.language.replace('_', '-') &&
  (template.platformTemplateId === undefined || template.platformTemplateId === event.platformTemplateId);

type TemplateMade = { readonly fields: Partial<WhatsappTemplate>; readonly events?: readonly DomainEvent[] };

const applyToTemplate = async (
  ports: Ports,
  owner: Owner,
  event: TemplateReport,
  make: (before: WhatsappTemplate, now: number) => TemplateMade | undefined,
): Promise<PlatformEffect> => {
  const named = await ports.templates.named(owner.organizationId, event.name);
  const template = named.find((each) => isOf(each, event));
  if (!template) return 'unmatched';
  let changed = false;
  const outcome = await updateTemplate(ports, owner, template.id, (before, now) => {
    // A draft was never shown to the platform, or is being changed: what the platform says is about what stood before.
    const made = before.status === 'draft' || !isOf(before, event) ? undefined : make(before, now);
    changed = made !== undefined;
    return made && { ...made, fields: { ...made.fields, platformTemplateId: event.platformTemplateId } };
  });
  if (isRefusal(outcome)) return 'unmatched';
  return changed ? 'kept' : 'repeated';
};

/**
 * What a report makes of a template's category, which is the route and so the price of its sends from then on; undefined where a later
 * report was applied, or the word is none of ours. Messages that are stored keep the price that they were taken at.
 */
const categorized = (
  before: WhatsappTemplate,
  { at, category: word = '' }: { readonly at: number; readonly category?: string },
): Partial<WhatsappTemplate> | undefined => {
  const category = categoryOf(word);
  const said = { at, event: word };
  return category && isLater(said, before.categoryHeard) ? { category, categoryHeard: said } : undefined;
};

const applyCategory = (ports: Ports, owner: Owner, event: EventAbout<'template_category'>) =>
  applyToTemplate(ports, owner, event, (before) => {
    const fields = categorized(before, event);
    return fields && { fields };
  });

const applyReview = async (ports: Ports, owner: Owner, event: EventAbout<'template'>): Promise<PlatformEffect> => {
  const status = reviewStatus(event.event);
  if (status === undefined && event.event !== 'UNARCHIVED') return 'unmatched';
  return applyToTemplate(ports, owner, event, (before, now) => {
    const category = categorized(before, event);
    if (!isLater(event, before.heard)) return category && { fields: category };
    const heard = { at: event.at, event: event.event };
    const kept = shelved(before, event.event);
    if (kept || status === undefined) return { fields: { ...kept, ...category, heard } };
    const reason = event.reason === 'NONE' ? undefined : event.reason;
    const { fields, events } = reviewed(before, { status, reason }, owner.env, now);
    return { fields: { ...fields, ...category, heard }, events };
  });
};

/** What a template says since it was edited on the platform: a version of its contents, whose review other reports tell. */
const applyComponents = (ports: Ports, owner: Owner, event: EventAbout<'template_components'>) =>
  applyToTemplate(ports, owner, event, (before) => {
    const wordsHeard = { at: event.at, event: event.body };
    if (!isLater(wordsHeard, before.wordsHeard)) return undefined;
    const components = componentsNow(before.components, event);
    const changed = JSON.stringify(components) !== JSON.stringify(before.components);
    return { fields: { wordsHeard, ...(changed ? { components, version: before.version + 1 } : {}) } };
  });

/**
 * Applies what the platform says about an organization's template, flow, number or account, in one conditional transaction with its event.
 * Repeats change nothing; of reports in any order the latest by the platform's own clock stands at the end.
 */
export const applyPlatformEvent = (ports: Ports, owner: Owner, event: PlatformReport): Promise<PlatformEffect> => {
  switch (event.about) {
    case 'template':
      return applyReview(ports, owner, event);
    case 'template_category':
      return applyCategory(ports, owner, event);
    case 'template_components':
      return applyComponents(ports, owner, event);
    case 'flow':
      return applyFlow(ports, owner, event);
    case 'number_name':
      return applyName(ports, owner, event);
    case 'account_limit':
      return applyLimit(ports, owner, event);
    case 'number_quality':
      return applyQuality(ports, owner, event);
    case 'account':
      return applyAccount(ports, owner, event);
  }
};

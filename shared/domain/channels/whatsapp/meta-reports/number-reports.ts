import type { Tenant } from '../../../core/actor.ts';
import { isRefusal } from '../../../core/errors.ts';
import { tierOf } from '../numbers/limits.ts';
import type { LastReport, NameStatus, NumberAspect, RemovalReason, WhatsappNumber } from '../numbers/number.ts';
import { type NumberUpdate, updateNumber } from '../numbers/numbers.ts';
import type { NumberPorts } from '../numbers/ports.ts';
import { qualityEvents } from '../numbers/quality.ts';
import { accountReportKey, accountStatusAfter, statusAfter } from '../numbers/states.ts';
import { isLater, type MetaReportEffect, type ReportAbout } from './report.ts';

type Ports = Pick<NumberPorts, 'clock' | 'numbers'>;

/** The update of a number by an event on one aspect; undefined if a later event on it was already applied. */
const changeIfLater = (
  before: WhatsappNumber,
  aspect: NumberAspect,
  { at, event }: LastReport,
  update: NumberUpdate,
): NumberUpdate | undefined =>
  isLater({ at, event }, before.heard[aspect])
    ? { ...update, fields: { ...update.fields, heard: { ...before.heard, [aspect]: { at, event } } } }
    : undefined;

type Change = (before: WhatsappNumber, now: number) => NumberUpdate | undefined;

const applyToNumber = async (
  ports: Ports,
  owner: Tenant,
  number: WhatsappNumber,
  change: Change,
): Promise<MetaReportEffect> => {
  let changed = false;
  const outcome = await updateNumber(ports, owner, number.id, (before, now) => {
    const update = change(before, now);
    changed = update !== undefined;
    return update;
  });
  if (isRefusal(outcome)) return 'unmatched';
  return changed ? 'kept' : 'repeated';
};

/** Applies a change to several numbers: `kept` if any was changed. */
const applyToNumbers = async (
  ports: Ports,
  owner: Tenant,
  numbers: readonly WhatsappNumber[],
  change: Change,
): Promise<MetaReportEffect> => {
  const effects = await Promise.all(numbers.map((number) => applyToNumber(ports, owner, number, change)));
  return effects.includes('kept') ? 'kept' : effects.includes('repeated') ? 'repeated' : 'unmatched';
};

/**
 * The change by a phone_number_quality_update event: FLAGGED and UNFLAGGED mean that quality fell to low or recovered, THROUGHPUT_UPGRADE a
 * higher send rate, any other a new tier.
 */
const qualityChange =
  ({ at, event, currentLimit }: ReportAbout<'number_quality'>, env: Tenant['env']): Change =>
  (before, now) => {
    const heard = { at, event };
    if (event === 'THROUGHPUT_UPGRADE')
      return changeIfLater(before, 'throughput', heard, { fields: { throughput: 'high' } });
    const messagingTier = currentLimit === undefined ? undefined : tierOf(currentLimit);
    const tier = messagingTier && changeIfLater(before, 'tier', heard, { fields: { messagingTier } });
    if (event !== 'FLAGGED' && event !== 'UNFLAGGED') return tier;
    const flagged = event === 'FLAGGED';
    const qualityRating = flagged ? 'red' : before.qualityRating === 'red' ? 'yellow' : before.qualityRating;
    const status = statusAfter(before, 'quality', heard);
    // Tier and quality are ordered independently: either may be newer than its last known event.
    const base = { ...before, heard: tier?.fields.heard ?? before.heard };
    const quality = changeIfLater(base, 'quality', heard, {
      fields: { qualityRating, status },
      events: qualityEvents(before, qualityRating, env, now),
    });
    return quality ? { ...quality, fields: { ...tier?.fields, ...quality.fields } } : tier;
  };

const REMOVALS: readonly string[] = ['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED'] satisfies RemovalReason[];
const RESTORATIONS: readonly string[] = ['PARTNER_ADDED', 'PARTNER_APP_INSTALLED'];

/**
 * A partner removal only sets a mark; status and history stay. Mark and reason are set and cleared together
 * (docs/spec/whatsapp-numbers.md#partner-removal).
 */
const accountChange =
  (report: ReportAbout<'account'>): Change =>
  (before) => {
    const { event } = report;
    if (REMOVALS.includes(event))
      return changeIfLater(before, 'partner', report, {
        fields: { partnerRemovedAt: report.at, partnerRemovedReason: event as RemovalReason },
      });
    if (RESTORATIONS.includes(event))
      return changeIfLater(before, 'partner', report, {
        fields: { partnerRemovedAt: undefined, partnerRemovedReason: undefined },
      });
    const heard = { at: report.at, event: accountReportKey(report) };
    if (accountStatusAfter(heard.event) === undefined) return undefined;
    return changeIfLater(before, 'account', heard, { fields: { status: statusAfter(before, 'account', heard) } });
  };

const digits = (phone: string): string => phone.replaceAll(/\D/g, '');

const numbersByPhone = async (
  { numbers }: Ports,
  { organizationId }: Tenant,
  { wabaId, displayPhone: shown }: { readonly wabaId: string; readonly displayPhone: string },
) =>
  (await numbers.ofAccount(organizationId, wabaId)).filter(
    ({ displayPhone }) => digits(displayPhone) === digits(shown),
  );

const NAME_STATUS_OF: Readonly<Record<string, NameStatus>> = {
  APPROVED: 'approved',
  DEFERRED: 'pending',
  PENDING: 'pending',
  REJECTED: 'rejected',
};

/** The change by a display name review. While a new name is in review or was rejected, the approved one stays in use. */
const nameChange = ({ at, decision, name }: ReportAbout<'number_name'>): Change => {
  const nameStatus = Object.hasOwn(NAME_STATUS_OF, decision) ? NAME_STATUS_OF[decision] : undefined;
  return (before) => {
    if (nameStatus === undefined) return undefined;
    const keeps = nameStatus !== 'approved' && before.nameStatus === 'approved' && before.verifiedName !== name;
    const verifiedName = nameStatus === 'approved' ? name : before.verifiedName;
    const fields = keeps ? {} : { nameStatus, verifiedName };
    return changeIfLater(before, 'name', { at, event: decision }, { fields });
  };
};

const limitChange = ({ at, limit }: ReportAbout<'account_limit'>): Change => {
  const messagingTier = tierOf(limit);
  return (before) =>
    messagingTier && changeIfLater(before, 'tier', { at, event: limit }, { fields: { messagingTier } });
};

type NumberReport = ReportAbout<'number_name' | 'number_quality'>;
/** Applies a report about one number, which Meta names by its account and display phone. */
export const applyNumberReport = async (ports: Ports, owner: Tenant, report: NumberReport) =>
  applyToNumbers(
    ports,
    owner,
    await numbersByPhone(ports, owner, report),
    report.about === 'number_name' ? nameChange(report) : qualityChange(report, owner.env),
  );

/** Applies a report about a business account to all of its numbers. */
export const applyAccountReport = async (
  ports: Ports,
  owner: Tenant,
  report: ReportAbout<'account' | 'account_limit'>,
) =>
  applyToNumbers(
    ports,
    owner,
    await ports.numbers.ofAccount(owner.organizationId, report.wabaId),
    report.about === 'account' ? accountChange(report) : limitChange(report),
  );

import type { LastReport, NumberStatus, WhatsappNumber } from './number.ts';

/** The stored name of an account event; for a ban it includes the ban's state, which decides what it means. */
export const accountReportKey = ({ event, detail }: { readonly event: string; readonly detail?: string }): string =>
  event === 'DISABLED_UPDATE' && detail !== undefined ? `${event} ${detail}` : event;

/** The status of an account's numbers after an account_update event; undefined if it changes none. */
export const accountStatusAfter = (report: string): NumberStatus | undefined => {
  const [event, ban = ''] = report.split(' ', 2);
  switch (event) {
    case 'ACCOUNT_DELETED':
    case 'ACCOUNT_OFFBOARDED':
      return 'disconnected';
    case 'ACCOUNT_RECONNECTED':
      return 'connected';
    case 'ACCOUNT_RESTRICTION':
    case 'ACCOUNT_VIOLATION':
      return 'flagged';
    case 'DISABLED_UPDATE':
      if (ban.includes('REINSTATE')) return 'connected';
      return ban.includes('SCHEDULE') ? 'flagged' : 'disconnected';
    default:
      return undefined;
  }
};

type ReportedAspects = Pick<WhatsappNumber['heard'], 'account' | 'quality'>;
/** The status by the last account and quality events: the worse of the two. Undefined without any. */
const statusByReports = ({ account, quality }: ReportedAspects): NumberStatus | undefined => {
  const state = account && accountStatusAfter(account.event);
  if (state !== undefined && state !== 'connected') return state;
  if (quality?.event === 'FLAGGED') return 'flagged';
  return quality ? 'connected' : state;
};

/** The status after a quality event alone: a disconnected number is not flagged, and only a flagged one is unflagged. */
const statusAfterQuality = (status: NumberStatus, { event }: LastReport): NumberStatus => {
  if (event === 'FLAGGED') return status === 'disconnected' ? status : 'flagged';
  return status === 'flagged' ? 'connected' : status;
};

/**
 * The status of a number after an account or quality event. Both aspects determine one status, derived from the last event of each, so the
 * order of delivery doesn't matter. Events contradicted by a later sync with Meta no longer count.
 */
export const statusAfter = (before: WhatsappNumber, aspect: keyof ReportedAspects, heard: LastReport): NumberStatus => {
  if (statusByReports(before.heard) === before.status)
    return statusByReports({ ...before.heard, [aspect]: heard }) ?? before.status;
  return aspect === 'account'
    ? (accountStatusAfter(heard.event) ?? before.status)
    : statusAfterQuality(before.status, heard);
};

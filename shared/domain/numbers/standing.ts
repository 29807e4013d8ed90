import type { Heard, NumberStatus, WhatsappNumber } from './number.ts';

/** The word that is kept of an account's report; of a ban, with the state of the ban, which says what the word means. */
export const accountWord = ({ event, detail }: { readonly event: string; readonly detail?: string }): string =>
  event === 'DISABLED_UPDATE' && detail !== undefined ? `${event} ${detail}` : event;

/** The state of an account's numbers by its word (account_update); undefined for a word that moves nothing. */
export const accountState = (word: string): NumberStatus | undefined => {
  const [event, ban = ''] = word.split(' ', 2);
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

type Told = Pick<WhatsappNumber['heard'], 'account' | 'quality'>;
/** Where the latest words on account and quality leave a number: the worse of the two. Undefined without any. */
const toldBy = ({ account, quality }: Told): NumberStatus | undefined => {
  const state = account && accountState(account.event);
  if (state !== undefined && state !== 'connected') return state;
  if (quality?.event === 'FLAGGED') return 'flagged';
  return quality ? 'connected' : state;
};

/** What a quality alone moves: a number that was disconnected is not flagged, and only a flagged one is released. */
const movedByQuality = (status: NumberStatus, { event }: Heard): NumberStatus => {
  if (event === 'FLAGGED') return status === 'disconnected' ? status : 'flagged';
  return status === 'flagged' ? 'connected' : status;
};

/**
 * The state of a number after a report on its account or its quality. Both sides move the one state, so that it follows from the latest
 * word of each, whatever the order in which they came. Words that a read of the platform has contradicted since count no more.
 */
export const statusAfter = (before: WhatsappNumber, side: keyof Told, heard: Heard): NumberStatus => {
  if (toldBy(before.heard) === before.status) return toldBy({ ...before.heard, [side]: heard }) ?? before.status;
  return side === 'account' ? (accountState(heard.event) ?? before.status) : movedByQuality(before.status, heard);
};

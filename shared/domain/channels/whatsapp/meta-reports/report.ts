import type { MetaEvent } from '../../../message/meta-event.ts';
import type { LastReport } from '../numbers/number.ts';

/** A webhook event of Meta about a template, flow, number or account; events about a person are handled elsewhere. */
export type MetaReport = Exclude<MetaEvent, { about: 'preference' }>;
/** The reports about one kind of object. */
export type ReportAbout<A extends MetaReport['about']> = Extract<MetaReport, { about: A }>;

/** `kept`: applied; `repeated`: already known, or older than what is known; `unmatched`: about nothing of the organization's. */
export type MetaReportEffect = 'kept' | 'repeated' | 'unmatched';

/** Statuses that a template, name or flow starts with: of events in the same second, any other status is later. */
const INITIAL_STATUSES: ReadonlySet<string> = new Set(['DRAFT', 'PENDING', 'IN_APPEAL', 'DEFERRED']);
const rankOf = (metaStatus: string): string => `${INITIAL_STATUSES.has(metaStatus) ? 0 : 1}${metaStatus}`;

/**
 * Whether an event is later than the last one applied. Meta's timestamps have whole seconds: within one second initial statuses come first
 * and the status that sorts last wins, so that any order of delivery and any repeats give the same state. Meta's clock is never compared
 * with ours.
 */
export const isLater = (event: LastReport, heard: LastReport | undefined): boolean =>
  heard === undefined || event.at > heard.at || (event.at === heard.at && rankOf(event.event) > rankOf(heard.event));

import type { Id } from '../core/ids.ts';
import type { AutomationLabels } from '../message/message.ts';
import type { SendFrequency } from './frequency.ts';
import { type RequestKey, requestKey } from './idempotency.ts';

/** How long the keys of journeys and campaigns are good for, in ms: a run may stand still for months between a send and its repeat. */
const KEEP_MS = 400 * 24 * 3600_000;
/** Callers' keys are visible characters, so none begins with this. */
const PREFIX = '\u001f';

/**
 * A key of the service's own, whose request is known by the key alone: what the message says may have changed when a step is repeated after a
 * crash, and it is the same send all the same.
 */
const ownKey = (terms: readonly (string | number)[]): RequestKey => {
  const callerKey = PREFIX + terms.join(':');
  return { ...requestKey(callerKey, 'automation.send', callerKey), keepMs: KEEP_MS };
};

/** The key of what a journey's run sends at a visit of a step. */
export const journeyKey = (runId: Id<'run'>, stepKey: string, visit: number): RequestKey =>
  ownKey(['journey', runId, stepKey, visit]);

/** The key of what a campaign sends to a contact. */
export const campaignKey = (campaignId: Id<'campaign'>, contactId: Id<'contact'>): RequestKey =>
  ownKey(['campaign', campaignId, contactId]);

/** What makes a send one of a journey or a campaign. */
export interface AutomatedSend {
  readonly key: RequestKey;
  readonly labels: AutomationLabels;
  /** Makes it count for the frequency caps of its contact, and perhaps be held back by one. */
  readonly frequency: SendFrequency;
  /** How many contacts had been merged into its contact when that was read. It is not accepted once there are more, since one of them may have its message. */
  readonly merges?: number | undefined;
}

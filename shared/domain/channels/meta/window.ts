import { refuse } from '../../core/errors.ts';
import type { MetaChannel } from './providers.ts';

const HOUR_MS = 3600_000;
/** How long after an inbound message Meta allows free-form messages, in ms. */
const WINDOW_MS = 24 * HOUR_MS;
/** The same with Instagram's human agent tag, in ms. */
const HUMAN_AGENT_WINDOW_MS = 7 * 24 * HOUR_MS;

const closed = (within: string, instead: string) =>
  refuse('CONFLICT', {
    detail: `The recipient did not write within ${within}: Meta accepts ${instead}.`,
    v1Code: 'window_closed',
    meta: { code: 'window_closed' },
  });
const REFUSALS = {
  whatsapp: closed('24 hours', 'only templates'),
  instagram: closed('24 hours', 'only answers of a human agent, for 7 days'),
  human: closed('7 days', 'nothing'),
} as const;

/**
 * 409 `window_closed` if Meta would not accept a free-form message now; `lastInboundAt` in ms, undefined if the recipient never wrote. Each
 * WhatsApp number has its own windows: what counts is when the recipient wrote to the sending number (error 131047;
 * docs/spec/whatsapp.md#the-24-hour-window).
 */
export const windowRefusal = (
  channel: MetaChannel,
  now: number,
  lastInboundAt: number | undefined,
  humanAgent: boolean,
) => {
  const open = lastInboundAt !== undefined && now - lastInboundAt < (humanAgent ? HUMAN_AGENT_WINDOW_MS : WINDOW_MS);
  return open ? undefined : REFUSALS[humanAgent ? 'human' : channel];
};

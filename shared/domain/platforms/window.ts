import { refuse } from '../errors.ts';
import type { PlatformChannel } from './providers.ts';

const HOUR_MS = 3600_000;
/** How long after its recipient wrote a platform takes what was not approved before, in ms. */
const WINDOW_MS = 24 * HOUR_MS;
/** The same for what a person answers (Instagram Platform, Human Agent tag), in ms. */
const HUMAN_WINDOW_MS = 7 * 24 * HOUR_MS;

const closed = (within: string, instead: string) =>
  refuse('CONFLICT', {
    detail: `The recipient did not write within ${within}: the platform takes ${instead}.`,
    overview: 'window_closed',
    meta: { code: 'window_closed' },
  });
const REFUSALS = {
  whatsapp: closed('24 hours', 'only templates'),
  instagram: closed('24 hours', 'only what a person answers, for 7 days'),
  human: closed('7 days', 'nothing'),
} as const;

/**
 * 409 `window_closed` (interface, part 7) when a platform would not take a free message now to a recipient who wrote at `wroteAt` (ms;
 * undefined: never). Each number of WhatsApp has windows of its own: what counts is when the recipient wrote to the number that the
 * message leaves from (error 131047).
 */
export const windowFault = (channel: PlatformChannel, now: number, wroteAt: number | undefined, byHuman: boolean) => {
  const open = wroteAt !== undefined && now - wroteAt < (byHuman ? HUMAN_WINDOW_MS : WINDOW_MS);
  return open ? undefined : REFUSALS[byHuman ? 'human' : channel];
};

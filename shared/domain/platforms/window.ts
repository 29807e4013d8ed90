import { refuse } from '../errors.ts';
import type { Tenant } from '../messages/plan.ts';
import type { Clock } from '../time.ts';
import type { PlatformChannel } from './providers.ts';

export interface WindowPorts {
  readonly clock: Clock;
  /** When the recipient last wrote to this number, or without one on the channel, in ms; undefined when it never did. */
  readonly lastInbound: (
    tenant: Tenant,
    channel: PlatformChannel,
    to: string,
    numberId: string | undefined,
  ) => Promise<number | undefined>;
}

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
 * 409 `window_closed` (interface, part 7) when a platform would not take a free message to this recipient now. Each number of WhatsApp has
 * windows of its own: what counts is when the recipient wrote to the number that the message leaves from (error 131047).
 */
export const windowFault = async (
  ports: WindowPorts,
  tenant: Tenant,
  channel: PlatformChannel,
  to: string,
  { byHuman = false, numberId }: { readonly byHuman?: boolean; readonly numberId?: string | undefined } = {},
) => {
  const last = await ports.lastInbound(tenant, channel, to, numberId);
  const open = last !== undefined && ports.clock() - last < (byHuman ? HUMAN_WINDOW_MS : WINDOW_MS);
  return open ? undefined : REFUSALS[byHuman ? 'human' : channel];
};

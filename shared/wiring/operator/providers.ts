import { channelOf } from '../../domain/channels/registry.ts';
import type { Actor } from '../../domain/core/actor.ts';
import { refuse } from '../../domain/core/errors.ts';
import { definedTimes } from '../../domain/core/patch.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { listProviderSettings } from '../../storage/access/providers.ts';
import {
  type BreakerPlace,
  closeBreaker,
  endRest,
  readBreakers,
  type ShownBreaker,
} from '../../storage/due-work/shown-breakers.ts';
import { clock, table } from '../process/aws.ts';
import { entryOf, recordView } from './acts.ts';

/** The route of channels that have none: their messages name the channel. */
const routesOf = (channel: Channel): readonly string[] => {
  const { routes } = channelOf(channel);
  return routes.length > 0 ? routes : [channel];
};

const shown = ({ since, until, lastProbeAt, ...rest }: ShownBreaker) => ({
  ...rest,
  ...definedTimes({ since, until, lastProbeAt }),
});

/** The providers that are set up, each with the circuit breakers of its channel's routes. */
export const listProviders = async (actor: Actor) => {
  await recordView(actor, 'providers');
  const providers = await listProviderSettings(table);
  const places = providers.flatMap(({ channel, provider }) =>
    routesOf(channel as Channel).map((route): BreakerPlace => ({ channel, provider, route })),
  );
  const breakers = await readBreakers(table, places, clock());
  return {
    items: providers.map(({ channel, provider, updatedAt }) => ({
      channel,
      provider,
      updatedAt: isoTime(updatedAt),
      breakers: breakers
        .filter((_, at) => places[at]?.channel === channel && places[at]?.provider === provider)
        .map(shown),
    })),
  };
};

const now = async (place: BreakerPlace) => {
  const [breaker] = await readBreakers(table, [place], clock());
  return breaker ? shown(breaker) : { route: place.route, state: 'closed' as const, failures: 0, successes: 0 };
};

const actOn = (action: 'breaker.probed' | 'breaker.reset', { channel, provider, route }: BreakerPlace) =>
  ({ action, object: `provider/${channel}/${provider}`, details: { channel, route } }) as const;

/** A change of a breaker. */
interface BreakerChange extends BreakerPlace {
  readonly action: 'probe' | 'reset';
}

/** Lets the next send probe a provider, 409 when its breaker is not open; or closes the breaker. */
export const changeBreaker = async (actor: Actor, { action, ...place }: BreakerChange) => {
  if (action === 'reset') {
    await closeBreaker(table, place, entryOf(actor, actOn('breaker.reset', place)));
    return now(place);
  }
  const ended = await endRest(table, place, clock(), entryOf(actor, actOn('breaker.probed', place)));
  return ended ? now(place) : refuse('CONFLICT', 'The circuit breaker is not open.');
};

import type { Environment } from '../domain/core/actor.ts';
import type { Id } from '../domain/core/ids.ts';
import type { Channel } from '../domain/message/channel.ts';
import type { Provider, ProviderIo } from '../domain/message/provider-port.ts';
import type { BreakerState, Candidates, Routing as RoutingPort } from '../domain/sending/ports.ts';
import { loadProviders } from './index.ts';

/** How long a process caches the operator's settings and routes, in ms; a change takes effect after that. */
const SETTINGS_TTL_MS = 10_000;
/** Name of the sandbox provider on every channel: docs/spec/sends.md#sandbox. */
const SANDBOX = 'sandbox_provider';
const MAX_CACHED_ROUTES = 10_000;
/** When to come back while another call tries the provider again, in ms. */
const PROBED_ELSEWHERE_MS = 5_000;

/** Where the providers of a stage come from. */
export interface RoutingSources {
  readonly env: Environment;
  readonly io: ProviderIo;
  readonly clock: () => number;
  readonly breakers: {
    state(channel: string, provider: string, route: string): Promise<BreakerState>;
    probe(channel: string, provider: string, route: string): Promise<boolean>;
    report(channel: string, provider: string, route: string, healthy: boolean): Promise<void>;
  };
  /** The sandbox provider of a channel. */
  readonly sandbox: (channel: Channel) => Provider<unknown>;
  /** The operator's settings of a channel, by provider. */
  readonly settings: (channel: Channel) => Promise<ReadonlyMap<string, unknown>>;
  /** The provider order that the operator configured for a route. */
  readonly routes: (
    organizationId: Id<'organization'>,
    channel: Channel,
    route: string,
  ) => Promise<readonly string[] | undefined>;
  /** The live providers of channels that each organization sets up itself: they have no order and no circuit breaker of the stage. */
  readonly ownedBy?: Readonly<Partial<Record<Channel, (organizationId: Id<'organization'>) => Promise<Candidates>>>>;
}

type Adapters = ReadonlyMap<string, Provider<unknown>>;

const setupHint = (channel: Channel): string =>
  `no ${channel} provider is set up: run \`npm run admin -- provider set --env live --channel ${channel} --provider NAME --file SETTINGS.json\``;

/**
 * Chooses the providers of a send. In test: the sandbox. In live: the organization's own, or the configured ones in the route's order,
 * those with a closed circuit breaker first.
 */
export class Routing implements RoutingPort {
  readonly #sources: RoutingSources;
  readonly #adapters = new Map<Channel, { at: number; byName: Adapters }>();
  readonly #orders = new Map<string, { at: number; order: readonly string[] | undefined }>();

  constructor(sources: RoutingSources) {
    this.#sources = sources;
  }

  async candidates(
    channel: Channel,
    organizationId: Id<'organization'>,
    env: Environment,
    route: string,
    purpose?: 'send',
  ): Promise<Candidates> {
    const { sandbox, ownedBy } = this.#sources;
    if (env === 'test') return { kind: 'ready', providers: [sandbox(channel)] };
    const own = ownedBy?.[channel];
    if (own) return own(organizationId);
    const adapters = await this.#loadAdapters(channel);
    const order = (await this.#loadOrder(organizationId, channel, route)) ?? [...adapters.keys()];
    const providers = order.flatMap((name) => adapters.get(name) ?? []);
    if (providers.length === 0) return { kind: 'none', missing: setupHint(channel) };
    return this.#healthiestFirst(channel, route, providers, purpose);
  }

  /**
   * Providers with a closed breaker first; the others after them, since a refusal by all that are healthy makes trying one worth it. A send
   * that finds a provider at the end of its rest before any healthy one tries it, if no other call does.
   */
  async #healthiestFirst(
    channel: Channel,
    route: string,
    providers: readonly Provider<unknown>[],
    purpose: 'send' | undefined,
  ): Promise<Candidates> {
    const { breakers } = this.#sources;
    const states = await Promise.all(providers.map(({ name }) => breakers.state(channel, name, route)));
    const isClosed = (_: unknown, at: number) => states[at]?.kind === 'closed';
    const closed = providers.filter(isClosed);
    const others = providers.filter((_, at) => !isClosed(_, at));
    if (purpose !== 'send' || others.length === 0) return { kind: 'ready', providers: [...closed, ...others] };
    const firstClosed = states.findIndex(({ kind }) => kind === 'closed');
    const before = firstClosed < 0 ? providers : providers.slice(0, firstClosed);
    const tried = before.find((_, at) => states[at]?.kind === 'probation');
    if (tried && (await breakers.probe(channel, tried.name, route)))
      return { kind: 'ready', providers: [tried, ...closed, ...others.filter((one) => one !== tried)] };
    const rests = states.map((state) => (state.kind === 'resting' ? state.ms : PROBED_ELSEWHERE_MS));
    return closed.length > 0
      ? { kind: 'ready', providers: [...closed, ...others] }
      : { kind: 'ready', providers: others, restMs: Math.min(...rests) };
  }

  async provider(channel: Channel, name: string): Promise<Provider<unknown> | undefined> {
    if (name === SANDBOX) return this.#sources.sandbox(channel);
    return (await this.#loadAdapters(channel)).get(name);
  }

  async report(channel: Channel, provider: string, route: string, healthy: boolean): Promise<void> {
    if (provider === SANDBOX || this.#sources.ownedBy?.[channel]) return;
    await this.#sources.breakers.report(channel, provider, route, healthy);
  }

  async #loadAdapters(channel: Channel): Promise<Adapters> {
    const now = this.#sources.clock();
    const cached = this.#adapters.get(channel);
    if (cached && now - cached.at < SETTINGS_TTL_MS) return cached.byName;
    // Loaded on the first live send: the sandbox needs no adapters, which shortens cold starts.
    const [settings, registered] = await Promise.all([this.#sources.settings(channel), loadProviders(channel)]);
    const byName = new Map<string, Provider<unknown>>();
    for (const { name, open } of registered) {
      const given = settings.get(name);
      if (given !== undefined) byName.set(name, open(given, this.#sources.io));
    }
    this.#adapters.set(channel, { at: now, byName });
    return byName;
  }

  async #loadOrder(
    organizationId: Id<'organization'>,
    channel: Channel,
    route: string,
  ): Promise<readonly string[] | undefined> {
    const key = `${channel}#${route}#${organizationId}`;
    const now = this.#sources.clock();
    const cached = this.#orders.get(key);
    if (cached && now - cached.at < SETTINGS_TTL_MS) return cached.order;
    const order = await this.#sources.routes(organizationId, channel, route);
    if (this.#orders.size > MAX_CACHED_ROUTES) this.#orders.clear();
    this.#orders.set(key, { at: now, order });
    return order;
  }
}

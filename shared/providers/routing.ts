import type { Environment } from '../domain/actor.ts';
import type { Candidates, Routing as RoutingPort } from '../domain/messages/ports.ts';
import type { Channel, Provider, ProviderIo } from '../domain/messages/provider.ts';
import { loadProviders } from './index.ts';

/** How long a process trusts the operator's settings that it read, in ms: how late a change takes effect. */
const TRUST_MS = 10_000;
/** The sandbox's name on every channel (decisions, part 4). */
const SANDBOX = 'sandbox_provider';
const MOST_ORDERS = 10_000;

export interface RoutingSources {
  readonly env: Environment;
  readonly io: ProviderIo;
  readonly clock: () => number;
  readonly breakers: {
    closed(channel: string, provider: string, route: string): Promise<boolean>;
    report(channel: string, provider: string, route: string, healthy: boolean): Promise<void>;
  };
  /** The provider of a channel that reaches nobody. */
  readonly sandbox: (channel: Channel) => Provider<unknown>;
  /** The operator's settings of a channel by provider. */
  readonly settings: (channel: Channel) => Promise<ReadonlyMap<string, unknown>>;
  /** The order of providers that the operator set for a route. */
  readonly routes: (organizationId: string, channel: Channel, route: string) => Promise<readonly string[] | undefined>;
}

type Adapters = ReadonlyMap<string, Provider<unknown>>;

const missing = (channel: Channel): string =>
  `no ${channel} provider is set up: run \`npm run admin -- provider set --env live --channel ${channel} --provider NAME --file SETTINGS.json\``;

/** Chooses the providers of a send: the sandbox in test; in live, what the operator set up, in the route's order, healthy ones first. */
export class Routing implements RoutingPort {
  readonly #sources: RoutingSources;
  readonly #adapters = new Map<Channel, { at: number; byName: Adapters }>();
  readonly #orders = new Map<string, { at: number; order: readonly string[] | undefined }>();

  constructor(sources: RoutingSources) {
    this.#sources = sources;
  }

  async candidates(channel: Channel, organizationId: string, env: Environment, route: string): Promise<Candidates> {
    const { sandbox, breakers } = this.#sources;
    if (env === 'test') return { kind: 'ready', providers: [sandbox(channel)] };
    const adapters = await this.#loadAdapters(channel);
    const order = (await this.#loadOrder(organizationId, channel, route)) ?? [...adapters.keys()];
    const providers = order.flatMap((name) => adapters.get(name) ?? []);
    if (providers.length === 0) return { kind: 'none', missing: missing(channel) };
    const closed = await Promise.all(providers.map(({ name }) => breakers.closed(channel, name, route)));
    // A tripped route stands last and is not left out: with nothing else to try, trying it is better than refusing.
    return {
      kind: 'ready',
      providers: [...providers.filter((_, at) => closed[at]), ...providers.filter((_, at) => !closed[at])],
    };
  }

  async provider(channel: Channel, name: string): Promise<Provider<unknown> | undefined> {
    if (name === SANDBOX) return this.#sources.sandbox(channel);
    return (await this.#loadAdapters(channel)).get(name);
  }

  async report(channel: Channel, provider: string, route: string, healthy: boolean): Promise<void> {
    if (provider === SANDBOX) return;
    await this.#sources.breakers.report(channel, provider, route, healthy);
  }

  async #loadAdapters(channel: Channel): Promise<Adapters> {
    const now = this.#sources.clock();
    const held = this.#adapters.get(channel);
    if (held && now - held.at < TRUST_MS) return held.byName;
    // Loaded at the first live send: the sandbox needs none of them, and a cold start is shorter without.
    const [settings, registered] = await Promise.all([this.#sources.settings(channel), loadProviders(channel)]);
    const byName = new Map<string, Provider<unknown>>();
    for (const { name, open } of registered) {
      const given = settings.get(name);
      if (given !== undefined) byName.set(name, open(given, this.#sources.io));
    }
    this.#adapters.set(channel, { at: now, byName });
    return byName;
  }

  async #loadOrder(organizationId: string, channel: Channel, route: string): Promise<readonly string[] | undefined> {
    const key = `${channel}#${route}#${organizationId}`;
    const now = this.#sources.clock();
    const held = this.#orders.get(key);
    if (held && now - held.at < TRUST_MS) return held.order;
    const order = await this.#sources.routes(organizationId, channel, route);
    if (this.#orders.size > MOST_ORDERS) this.#orders.clear();
    this.#orders.set(key, { at: now, order });
    return order;
  }
}

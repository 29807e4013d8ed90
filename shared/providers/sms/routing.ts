import type { Environment } from '../../domain/actor.ts';
import type { SmsCandidates, SmsRouting } from '../../domain/sms/ports.ts';
import type { ProviderIo, SmsProvider, SmsProviderName, SmsRoute } from '../../domain/sms/provider.ts';
import { sandboxProvider } from '../../domain/sms/sandbox.ts';

/** How long a process trusts the operator's settings that it read, in ms: how late a change takes effect. */
const TRUST_MS = 10_000;

export interface RoutingSources {
  readonly env: Environment;
  readonly io: ProviderIo;
  readonly clock: () => number;
  readonly breakers: {
    closed(channel: string, provider: string, route: string): Promise<boolean>;
    report(channel: string, provider: string, route: string, healthy: boolean): Promise<void>;
  };
  /** The operator's settings by provider. */
  readonly settings: () => Promise<ReadonlyMap<string, unknown>>;
  /** The order of providers that the operator set for a route. */
  readonly routes: (organizationId: string, route: SmsRoute) => Promise<readonly string[] | undefined>;
}

const MISSING =
  'no SMS provider is set up: run `npm run admin -- provider set --env live --channel sms --provider NAME --file SETTINGS.json`';

/** Chooses the providers of a send: the sandbox in test; in live, what the operator set up, in the route's order, healthy ones first. */
export class SmsRoutingTable implements SmsRouting {
  readonly #sources: RoutingSources;
  #adapters: { at: number; byName: ReadonlyMap<SmsProviderName, SmsProvider> } | undefined;
  readonly #orders = new Map<string, { at: number; order: readonly string[] | undefined }>();

  constructor(sources: RoutingSources) {
    this.#sources = sources;
  }

  async candidates(organizationId: string, env: Environment, route: SmsRoute): Promise<SmsCandidates> {
    if (env === 'test') return { kind: 'ready', providers: [sandboxProvider] };
    const adapters = await this.#loadAdapters();
    const order = (await this.#loadOrder(organizationId, route)) ?? [...adapters.keys()];
    const providers = order.flatMap((name) => adapters.get(name as SmsProviderName) ?? []);
    if (providers.length === 0) return { kind: 'none', missing: MISSING };
    const closed = await Promise.all(providers.map(({ name }) => this.#sources.breakers.closed('sms', name, route)));
    // A tripped route stands last and is not left out: with nothing else to try, trying it is better than refusing.
    return {
      kind: 'ready',
      providers: [...providers.filter((_, at) => closed[at]), ...providers.filter((_, at) => !closed[at])],
    };
  }

  async provider(name: SmsProviderName): Promise<SmsProvider | undefined> {
    if (name === 'sandbox_provider') return sandboxProvider;
    return (await this.#loadAdapters()).get(name);
  }

  async report(provider: SmsProviderName, route: SmsRoute, healthy: boolean): Promise<void> {
    if (provider === 'sandbox_provider') return;
    await this.#sources.breakers.report('sms', provider, route, healthy);
  }

  async #loadAdapters(): Promise<ReadonlyMap<SmsProviderName, SmsProvider>> {
    const now = this.#sources.clock();
    if (this.#adapters && now - this.#adapters.at < TRUST_MS) return this.#adapters.byName;
    // Loaded at the first live send: the sandbox needs none of them, and a cold start is shorter without.
    const [settings, { SMS_PROVIDER_DECLARATIONS }] = await Promise.all([
      this.#sources.settings(),
      import('./index.ts'),
    ]);
    const byName = new Map<SmsProviderName, SmsProvider>();
    for (const declaration of SMS_PROVIDER_DECLARATIONS) {
      const given = settings.get(declaration.name);
      if (given !== undefined) byName.set(declaration.name, declaration.open(given, this.#sources.io));
    }
    this.#adapters = { at: now, byName };
    return byName;
  }

  async #loadOrder(organizationId: string, route: SmsRoute): Promise<readonly string[] | undefined> {
    const key = `${organizationId}#${route}`;
    const now = this.#sources.clock();
    const held = this.#orders.get(key);
    if (held && now - held.at < TRUST_MS) return held.order;
    const order = await this.#sources.routes(organizationId, route);
    if (this.#orders.size > 10_000) this.#orders.clear();
    this.#orders.set(key, { at: now, order });
    return order;
  }
}

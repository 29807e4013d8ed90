import { localKeyProvider } from '../../shared/providers/keys/local-key-provider.ts';
import { putProviderSettings } from '../../shared/storage/providers.ts';
import { openVault } from '../../shared/storage/root-key.ts';
import type { Table } from '../../shared/storage/table.ts';
import type { LiveChannel } from './channel-plans-live.ts';
import { type Gate, startGate } from './kill-gate.ts';
import { type AmazonSesStandIn, startAmazonSesStandIn } from './providers/amazon-ses-stand-in.ts';
import { startInfobipRcsStandIn } from './providers/infobip-rcs-stand-in.ts';
import { type InfobipStandIn, startInfobipStandIn } from './providers/infobip-stand-in.ts';
import type { StandIn } from './providers/stand-in.ts';

interface GatedProvider<S extends StandIn = StandIn> {
  readonly standIn: S;
  /** What stands before it, as the service is told to reach it. */
  readonly gate: Gate;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A provider's stand-in for each live channel, each behind a gate; they outlive the processes that call them. */
export interface KillProviders {
  readonly sms: GatedProvider<InfobipStandIn>;
  readonly rcs: GatedProvider;
  readonly email: GatedProvider<AmazonSesStandIn>;
}

/** Longer than a call stands still before its process is killed. */
const TIMEOUT_MS = 10_000;

const gated = async <S extends StandIn>(standIn: S, more: Readonly<Record<string, unknown>>) => {
  const gate = await startGate(standIn.baseUrl);
  return { standIn, gate, settings: { ...standIn.settings, ...more, baseUrl: gate.endpoint, timeoutMs: TIMEOUT_MS } };
};

/** Starts the stand-ins. `url` is the service's own address, where one of them delivers its events. */
export const startKillProviders = async (url: string): Promise<KillProviders> => {
  const [sms, rcs, ses] = await Promise.all([startInfobipStandIn(), startInfobipRcsStandIn(), startAmazonSesStandIn()]);
  ses.endpoint = `${url}/callbacks/amazon_ses/receipts`;
  return {
    sms: await gated(sms, { logsLagMs: 0 }),
    rcs: await gated(rcs, { logsLagMs: 0 }),
    email: await gated(ses, {}),
  };
};

/** Sets every provider up for a stage, with the key of its first start. */
export const setUpProviders = async (providers: KillProviders, table: Table, keyFile: string): Promise<void> => {
  const vault = await openVault(table, localKeyProvider(keyFile));
  for (const channel of Object.keys(providers) as LiveChannel[]) {
    const { standIn, settings } = providers[channel];
    await putProviderSettings(table, vault, { channel, name: standIn.provider, settings, now: Date.now() });
  }
};

export const closeProviders = async (providers: KillProviders): Promise<void> => {
  await Promise.all(Object.values(providers).flatMap(({ standIn, gate }) => [standIn.close(), gate.close()]));
};

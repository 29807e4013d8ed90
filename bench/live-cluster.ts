import type { Channel } from '../shared/domain/message/channel.ts';
import { apiClient } from '../test/support/api.ts';
import { type ClusterOptions, startCluster } from './cluster.ts';
import { equip, type LiveSend, livePlan, startProviders } from './live.ts';
import type { LoadPlan, LoadResult } from './load.ts';
import { fundedOrganization, runLoadInThread, tablesAt } from './processes.ts';

/** Load of live sends on all processes that take requests. */
export type ClusterLoad = (
  send: LiveSend,
  plan: Pick<LoadPlan, 'connections' | 'measureMs' | 'thinkMs'>,
) => Promise<LoadResult>;

/** Many processes with one organization that sends live on all six channels, by providers' stand-ins that answer at once. */
export const startLiveCluster = async (options: ClusterOptions, gated?: Channel) => {
  const providers = await startProviders(gated);
  const env = { ...options.env, PUSH_SERVICES: JSON.stringify(providers.channels.push.settings) };
  const cluster = await startCluster({ ...options, env });
  const { organizationId, keys } = await fundedOrganization(cluster.store.endpoint);
  const [first = 0] = cluster.ports();
  const client = apiClient(`http://127.0.0.1:${first}`, keys.live);
  const table = tablesAt(cluster.store.endpoint).live;
  const credentials = await equip({ organizationId, table, folder: cluster.folder, client }, providers.channels);
  const [port = 0, ...otherPorts] = await cluster.startOthers();
  const load: ClusterLoad = (send, plan) =>
    runLoadInThread({
      ...livePlan(credentials, send),
      ...plan,
      port,
      otherPorts,
      traced: true,
      warmMs: 0,
      method: 'POST',
    });
  return {
    providers: providers.channels,
    table,
    load,
    async stop() {
      await cluster.stop();
      await providers.close();
    },
  };
};

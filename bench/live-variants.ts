import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, startFauxqs } from '../infra/local/engines.ts';
import { ensureTable } from '../infra/local/resources.ts';
import { AWS_DEFAULTS, tableName } from '../infra/local/stages.ts';
import type { Channel } from '../shared/domain/message/channel.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { Table } from '../shared/storage/client/table.ts';
import { type LiveSend, livePlan, startLive, startProviders } from './live.ts';
import { ended, startStore } from './processes.ts';
import type { Recording } from './recording.ts';
import type { Variant } from './variant.ts';

export const floorOf = (name: string) => `floor of ${name}`;

/** Live sends to the service, or to a part of it. */
export const live = (name: string, send: LiveSend, runs: 'all' | 'api' = 'all'): Variant => ({
  name,
  status: send.status,
  async start() {
    const { running, store, credentials, stop } = await startLive({ runs });
    const plan = livePlan(credentials, send);
    return { port: running.port, pid: running.pid, enginePid: store.pid, plan, stop };
  },
});

/** The floor of what is named: a bare server that makes the calls of a recorded send. */
export const liveFloor = (name: string, channel: Channel, recording: Recording): Variant => ({
  name: floorOf(name),
  status: '201',
  async start() {
    const [store, queue, providers, port] = [
      await startStore(),
      await startFauxqs(),
      await startProviders(),
      await freePort(),
    ];
    const client = tableClient(store.endpoint);
    await ensureTable(client, tableName('live'));
    await new Table(client, tableName('live')).putMany(recording.rows);
    const file = join(store.folder, 'recording.json');
    await writeFile(file, JSON.stringify({ ...recording, rows: [] }));
    const { baseUrl = '' } = providers.channels[channel].settings;
    const args = [store.endpoint, String(port), file, String(baseUrl), queue.endpoint];
    const child = fork(join(import.meta.dirname, 'replay-floor.ts'), args, {
      env: { ...process.env, ...AWS_DEFAULTS },
    });
    await once(child, 'message');
    const stop = async () => {
      await ended(child);
      await Promise.all([providers.close(), queue.stop()]);
      client.destroy();
      await store.stop();
    };
    return { port, pid: child.pid ?? 0, enginePid: store.pid, plan: { path: '/', headers: {}, body: '{}' }, stop };
  },
});

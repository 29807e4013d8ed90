import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureTable } from '../../infra/local/resources.ts';
import { AWS_DEFAULTS, defaultAwsSettings, keyFileOf, tableName } from '../../infra/local/stages.ts';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { localKeyProvider } from '../../shared/providers/keys/local-key-provider.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { apiClient } from './api.ts';
import { spawnService } from './kill.ts';
import { tempDir } from './local-stack.ts';
import { patient } from './patient-client.ts';
import { portForLater } from './ports.ts';
import type { SmppCredentials } from './smpp-client.ts';
import { startTableEngine } from './table-engine.ts';

/** A process that serves SMPP, and can be killed. */
export interface SmppProcess {
  readonly smppPort: number;
  readonly url: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM; settled once it has ended by itself. */
  end(): Promise<void>;
}

/** Processes of the service on one table, behind its laws. */
export const startSmppLab = async () => {
  defaultAwsSettings(process.env);
  const folder = await tempDir();
  const engine = await startTableEngine();
  const laws = await startTableLaws(engine.endpoint, {});
  const client = patient(tableClient(engine.endpoint));
  const tables = { live: new Table(client, tableName('live')), test: new Table(client, tableName('test')) };
  for (const { name } of Object.values(tables)) await ensureTable(client, name);
  const children: ChildProcess[] = [];
  let first: string | undefined;

  const start = async (): Promise<SmppProcess> => {
    const dataDir = join(folder, String(children.length));
    await mkdir(dataDir, { recursive: true });
    // All of them open what any of them sealed: with one master key, which would else be made when it is first used.
    if (first) await copyFile(keyFileOf(first), keyFileOf(dataDir));
    else await localKeyProvider(keyFileOf(dataDir)).generate();
    first ??= dataDir;
    const [port, smppPort] = [await portForLater(), await portForLater()];
    const child = await spawnService({
      ...process.env,
      ...AWS_DEFAULTS,
      PORT: String(port),
      SMPP_PORT: String(smppPort),
      DATA_DIR: dataDir,
      DYNAMODB_ENDPOINT: laws.endpoint,
      DISPATCH_SECONDS: '1',
    });
    children.push(child);
    const endBy = async (signal: 'SIGKILL' | 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    };
    return { smppPort, url: `http://127.0.0.1:${port}`, kill: () => endBy('SIGKILL'), end: () => endBy('SIGTERM') };
  };

  return {
    table: tables.test,
    start,
    /** An account of an organization of its own, in test, made through a process. */
    async account({ url }: SmppProcess): Promise<SmppCredentials & { readonly id: string }> {
      const { keys } = await createOrganization(tables, { name: 'Loja Azul' });
      const made = await apiClient(url, keys.test).post('/v2/smpp/accounts', { name: 'Gateway', route: 'premium' });
      if (made.status !== 201) throw new Error(made.text);
      return made.body;
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      client.destroy();
      await laws.close();
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

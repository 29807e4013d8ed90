import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { chooseDebitLane } from '../../shared/storage/wallet/debit.ts';
import { readVolume, volumeReader } from '../../shared/storage/wallet/volumes.ts';
import { waitAsInvocation } from './patience.ts';
import { patient } from './patient-client.ts';
import { use } from './use.ts';
import { PLAIN, type World } from './world.ts';

const wide = { read: Infinity, write: Infinity };

/**
 * Processes that send from the wallets of a world's live stage, each with its own client and its own memory of wallets and volumes. Transactions take the
 * time that they take in DynamoDB, and the later of two that meet is refused.
 */
export const useSendingProcesses = async (world: World, count: number) => {
  const laws = await use(
    startTableLaws(world.proxy.endpoint, { seed: 7, partition: wide, table: wide, lagMs: [0, 0], lateShare: 0 }),
  );
  const clients = Array.from({ length: count }, () => patient(tableClient(laws.endpoint)));
  await use({
    close: () => {
      for (const client of clients) client.destroy();
    },
  });
  const processes = clients.map((client) => {
    const table = new Table(client, 'live', waitAsInvocation);
    const volumes = volumeReader(
      (organizationId, month) => readVolume(table, organizationId, 'sms', month),
      () => world.now,
    );
    const ports: typeof world.ports = {
      ...world.ports,
      messageStore: messageStore(table, (published) => void world.workItems.push(...published), PLAIN),
      volume: async (organizationId, _, month) => volumes.guess(organizationId, month),
      learnVolume: volumes.learn,
      debitLane: ({ organizationId }, of) => chooseDebitLane(table, organizationId, of),
    };
    return { table, ports };
  });
  return processes;
};

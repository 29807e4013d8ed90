import type { Candidates } from '../../domain/messages/ports.ts';
import { pushCandidates } from '../../domain/push/single.ts';
import { pushApps } from '../../storage/push-apps.ts';
import { deniedContacts } from '../../storage/push-consent.ts';
import { readPushDevices, retirePushDevices } from '../../storage/push-devices.ts';
import { clock, table, vault } from './platform.ts';
import { pushTransport } from './push-transport.ts';

const apps = pushApps(table, vault);

/** Who carries an organization's live pushes to single devices. */
export const singlePushCandidates = (organizationId: string): Promise<Candidates> =>
  pushCandidates(
    {
      clock,
      apps,
      transport: pushTransport,
      devices: (of, ids) => readPushDevices(table, of, ids),
      deniedContacts: (of, ids) => deniedContacts(table, of, ids),
      retire: (of, ids, at) => retirePushDevices(table, of, ids, at),
    },
    organizationId,
  );

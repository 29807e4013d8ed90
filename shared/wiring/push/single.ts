import type { Id } from '../../domain/core/ids.ts';
import { pushCandidates } from '../../domain/push-messages/device-provider.ts';
import type { Candidates } from '../../domain/sending/ports.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { deniedContacts } from '../../storage/push/contacts.ts';
import { readPushDevices, retirePushDevices } from '../../storage/push/devices.ts';
import { clock, table, vault } from '../process/aws.ts';
import { pushTransport } from './transport.ts';

const apps = pushApps(table, vault);

/** The provider candidates of an organization's live pushes to single devices. */
export const singlePushCandidates = (organizationId: Id<'organization'>): Promise<Candidates> =>
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

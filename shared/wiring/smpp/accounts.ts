import type { SmppAccountPorts } from '../../domain/smpp/accounts.ts';
import { credentialReader } from '../../storage/access/credentials.ts';
import { smppAccountStore } from '../../storage/smpp/accounts.ts';
import { clock, settings, table } from '../process/aws.ts';

export const smppAccountPorts: SmppAccountPorts = {
  env: settings.STAGE,
  clock,
  credentials: credentialReader(table),
  accounts: smppAccountStore(table),
};

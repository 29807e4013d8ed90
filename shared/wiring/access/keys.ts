import type { OwnKeysPorts } from '../../domain/access/own-keys.ts';
import { credentialReader } from '../../storage/access/credentials.ts';
import { keyStore } from '../../storage/access/keys.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { clock, publishWork, settings, table } from '../process/aws.ts';

export const keyPorts: OwnKeysPorts = {
  env: settings.STAGE,
  clock,
  credentials: credentialReader(table),
  store: keyStore(table),
  enqueueEvent: (event) => publishWork([eventWorkItem(event)]),
};

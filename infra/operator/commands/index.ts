import { ACCESS_COMMANDS } from './access.ts';
import { ARCHIVE_COMMANDS } from './archive.ts';
import { AUDIT_COMMANDS } from './audit.ts';
import { MONEY_COMMANDS } from './money.ts';
import { PEOPLE_COMMANDS } from './people.ts';
import { PROVIDER_COMMANDS } from './providers.ts';
import { QUEUE_COMMANDS } from './queues.ts';
import { SENDER_COMMANDS } from './senders.ts';
import { SMPP_COMMANDS } from './smpp.ts';
import { SUPPRESSION_COMMANDS } from './suppression.ts';
import { TABLE_COMMANDS } from './table.ts';
import { WEBHOOK_COMMANDS } from './webhooks.ts';
import { WORK_COMMANDS } from './work.ts';

/** Every command of the operator. */
export const COMMANDS = [
  ...ACCESS_COMMANDS,
  ...ARCHIVE_COMMANDS,
  ...AUDIT_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...MONEY_COMMANDS,
  ...PROVIDER_COMMANDS,
  ...QUEUE_COMMANDS,
  ...SENDER_COMMANDS,
  ...SMPP_COMMANDS,
  ...SUPPRESSION_COMMANDS,
  ...TABLE_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...WORK_COMMANDS,
];

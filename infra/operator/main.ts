import { runProgram } from './command.ts';
import { ACCESS_COMMANDS } from './commands/access.ts';
import { AUDIT_COMMANDS } from './commands/audit.ts';
import { MONEY_COMMANDS } from './commands/money.ts';
import { PEOPLE_COMMANDS } from './commands/people.ts';
import { PROVIDER_COMMANDS } from './commands/providers.ts';
import { QUEUE_COMMANDS } from './commands/queues.ts';
import { SENDER_COMMANDS } from './commands/senders.ts';
import { SUPPRESSION_COMMANDS } from './commands/suppression.ts';
import { WORK_COMMANDS } from './commands/work.ts';

/** `npm run --silent admin -- …`: the operator's command line. */
process.exitCode = await runProgram(
  [
    ...ACCESS_COMMANDS,
    ...AUDIT_COMMANDS,
    ...PEOPLE_COMMANDS,
    ...MONEY_COMMANDS,
    ...PROVIDER_COMMANDS,
    ...QUEUE_COMMANDS,
    ...WORK_COMMANDS,
    ...SENDER_COMMANDS,
    ...SUPPRESSION_COMMANDS,
  ],
  process.argv.slice(2),
);

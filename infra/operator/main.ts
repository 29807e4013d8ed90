import { runProgram } from './command.ts';
import { COMMANDS } from './commands/index.ts';

/** `npm run --silent admin -- …`: the operator's command line. */
process.exitCode = await runProgram(COMMANDS, process.argv.slice(2));

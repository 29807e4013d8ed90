import { runProgram } from './command.ts';
import { COMMANDS } from './commands/index.ts';

/** `npm run --silent admin -- …`: the operator's command line. */
// Whoever reads the output may stop early: `admin prices show | head -3`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await runProgram(COMMANDS, process.argv.slice(2));

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT } from './processes.ts';
import { figure, median, type Section } from './report.ts';
import { table } from './table.ts';

/** Timed as started from a terminal. */
const COMMANDS: readonly { readonly name: string; readonly args: readonly string[]; readonly repeats: number }[] = [
  { name: 'npm run build -- --force', args: ['infra/build/main.ts', '--force'], repeats: 5 },
  { name: 'npm run build, nothing changed', args: ['infra/build/main.ts'], repeats: 5 },
  { name: 'npm run synth', args: ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet'], repeats: 3 },
];

const secondsOf = (args: readonly string[]): number => {
  const startedAt = performance.now();
  const [script = '', ...rest] = args;
  execFileSync(process.execPath, [join(PROJECT, script), ...rest], {
    cwd: PROJECT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return (performance.now() - startedAt) / 1000;
};

/** Build and synth times. */
export const benchBuild = async (): Promise<Section> => {
  const rows = COMMANDS.map(({ name, args, repeats }) => {
    const times = Array.from({ length: repeats }, () => secondsOf(args));
    return [`\`${name}\``, figure(median(times)), figure(Math.min(...times)), repeats];
  });
  const text = ['A new process each, without npm itself.', table(['Command', 'Median s', 'Least s', 'Runs'], rows)];
  return {
    title: 'Build and synthesis',
    rounds: Math.min(...COMMANDS.map(({ repeats }) => repeats)),
    verdicts: [],
    text: text.join('\n\n'),
  };
};

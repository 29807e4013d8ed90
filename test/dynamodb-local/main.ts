import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run test:dynamodb-local [-- <vitest arguments>]`: the storage, fault and flow tests over Amazon's own DynamoDB Local, or what the
 * arguments name. Says so and succeeds on a machine without Java or Maven, which no other command needs.
 */
const SUITES = ['test/storage', 'test/faults', 'test/flows'];
const POM = join(import.meta.dirname, 'pom.xml');

const has = (command: string, argument: string): boolean =>
  spawnSync(command, [argument], { stdio: 'ignore' }).status === 0;

/** The folder of the engine's libraries; Maven fills it once for each version of the POM. */
const libraries = (): string => {
  const pom = readFileSync(POM);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const version = createHash('sha256').update(pom).digest('hex').slice(0, 16);
  const folder = join(cache, 'messaging-dynamodb-local', version);
  const complete = join(folder, 'complete');
  const lib = join(folder, 'lib');
  if (existsSync(complete)) return lib;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.log('Maven fetches DynamoDB Local, once.');
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${lib}`];
  const { status } = spawnSync('mvn', ['-B', '-q', '-f', POM, ...goal], { stdio: 'inherit' });
  if (status !== 0) {
    console.error('Maven could not fetch DynamoDB Local.');
    process.exit(1);
  }
  writeFileSync(complete, '');
  return lib;
};

const missing = [has('java', '-version') ? [] : ['Java'], has('mvn', '-v') ? [] : ['Maven']].flat();
if (missing.length > 0) {
  console.log(`Skipped: DynamoDB Local needs ${missing.join(' and ')}, which this machine does not have.`);
  process.exit(0);
}
const chosen = process.argv.slice(2);
const env = { ...process.env, TEST_DYNAMODB: 'local', DYNAMODB_LOCAL_LIBRARIES: libraries() };
const { status } = spawnSync('vitest', ['run', ...(chosen.length > 0 ? chosen : SUITES)], { env, stdio: 'inherit' });
process.exit(status ?? 1);

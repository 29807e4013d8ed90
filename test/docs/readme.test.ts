import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HEAP_FLAGS } from '../support/heap-flags.ts';
import { portForLater } from '../support/ports.ts';
import { blocksOf, commandsOf, normalized, PAGES, PROJECT, type Ran, readPage, shell, unknownIn } from './commands.ts';

const README = readPage('README.md');
const PACKAGE = JSON.parse(readPage('package.json')) as { scripts: Record<string, string>; dependencies: object };
/** `npm run synth` compiles every function, for minutes on a loaded machine: the bound is against commands that hang. */
const HANGS_MS = 600_000;
let folder: string;
let port: number;
let service: ChildProcess;
let printed = '';
const found = { key: '', organization: '' };
/** The output of each command, by its line in the README. */
const answers = new Map<string, string>();

/** `npm start` as a newcomer types it, but in a folder and on a port of its own. */
const start = async () => {
  port = await portForLater();
  const env = { ...process.env, PORT: String(port), DATA_DIR: join(folder, 'data') };
  service = spawn('npm', ['start'], { cwd: PROJECT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  service.stderr?.pipe(process.stderr, { end: false });
  const ready = Promise.withResolvers<void>();
  service.stdout?.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.includes('/console/sign-in')) ready.resolve();
  });
  service.once('close', () => ready.reject(new Error(`npm start ended: ${printed}`)));
  await ready.promise;
  found.key = /svc_test_\w+/.exec(printed)?.[0] ?? '';
  found.organization = /org_\w+/.exec(printed)?.[0] ?? '';
};
const stop = async () => {
  if (service?.pid === undefined || service.exitCode !== null) return;
  const ended = once(service, 'close');
  process.kill(-service.pid, 'SIGTERM');
  await ended;
};

const here = (line: string): Promise<Ran> =>
  shell(line.replaceAll(':3000', `:${port}`).replaceAll('org_…', found.organization), {
    KEY: found.key,
    DATA_DIR: join(folder, 'data'),
  });
const succeed = async (line: string, more = ''): Promise<void> => {
  const { code, stdout, stderr } = await here(`${line}${more}`);
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
  answers.set(line, stdout);
};

type Check = (line: string) => Promise<void>;
/** Runs the line as shown. */
const asShown: Check = (line) => succeed(line);
/** Runs an operator's command, with the options that its short form in the text omits; without npm, which others of these run it through. */
const admin =
  (more = ''): Check =>
  async (line) => {
    const { code, stderr } = await here(
      `'${process.execPath}' ${HEAP_FLAGS.join(' ')} infra/operator/main.ts ${line.replace(/(--file) (\S+)/, `$1 '${folder}/$2'`)} ${more}`,
    );
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
  };
/** Checks that each of `key create|list|revoke` exists. */
const known: Check = async (line) => expect(unknownIn(line)).toEqual([]);
/** Checks the CLI's help for the command and its options, since running it needs an AWS account. */
const helpKnows: Check = async (line) => {
  const [, , verb = '', ...options] = line.split(' ');
  const { code, stdout } = await shell(`npx cdk ${verb} --help`);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`cdk ${verb}`) });
  for (const option of options) expect(stdout).toContain(option);
};
/** Checks that the script's program exists: it runs for minutes or changes the project, and has tests of its own. */
const scriptIsThere: Check = async (line) => {
  const script = PACKAGE.scripts[/^npm run (\S+)/.exec(line)?.[1] ?? ''] ?? '';
  expect(existsSync(join(PROJECT, /^node (\S+)/.exec(script)?.[1] ?? 'none')), `${line}: ${script}`).toBe(true);
};

/** How each command of the README is checked. Commands and rows must match exactly. */
const CHECKS: Readonly<Record<string, Check>> = {
  // It has run before this test. It fails unless the lock file matches package.json.
  'npm ci': async () => {
    const { packages } = JSON.parse(readPage('package-lock.json')) as {
      packages: Record<string, { dependencies: object }>;
    };
    expect(packages['']?.dependencies).toEqual(PACKAGE.dependencies);
  },
  // It runs during all of these tests.
  'npm start': async () => expect(printed).toContain('Ready at'),
  'export KEY=svc_test_…': async () => expect(found.key).toMatch(/^svc_test_\w{32,}$/),
  // Without a copy of every function's code, which is left where it was built: 190 MB.
  'npm run synth': (line) => succeed(line, ` -- --output '${folder}/cdk.out' --no-staging`),
  'npx cdk bootstrap': helpKnows,
  'npx cdk deploy --all': helpKnows,
  'npm run --silent admin -- organization create --name "Loja Exemplo" --json': asShown,
  'npm run --silent admin -- organization list': asShown,
  'npm run --silent admin -- prices show': asShown,
  'npm run --silent admin -- provider list --env live': asShown,
  'npm run --silent admin -- queue list --env test': asShown,
  'key create|list|revoke': known,
  'wallet credit --organization org_… --env live --coins 1000000': admin(),
  'organization set --organization org_… --env live --email-from "Loja <ola@loja.example>"': admin(),
  'suppression lift --organization org_… --env live --email ana@loja.example': admin(),
  'prices set --file prices.json --effective-from 2027-01-01T03:00:00Z': admin(),
  'provider set --env live --channel sms --provider twilio --file twilio.json': admin(),
  'routes set --default --channel sms --route premium --providers twilio,infobip': admin(),
  'queue peek': admin('--env test --queue outcome'),
  'queue redrive': admin('--env test --queue outcome'),
  'account create --role operator': admin('--organization org_… --name Rui --email rui@loja.example'),
  'npm run new:operation sms.archive': scriptIsThere,
  // CI runs it, including this test.
  'npm ci && npm test': async () => expect(PACKAGE.scripts.test).toBe('vitest run'),
  'npm run bench': scriptIsThere,
  'npm run torture': scriptIsThere,
};
const isCurl = (line: string) => line.startsWith('curl ');
const [sendLine = '', ...readLines] = commandsOf(README).filter(isCurl);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'messaging-readme-'));
  await start();
  const prices = await here('npm run --silent admin -- prices show --json');
  await writeFile(join(folder, 'prices.json'), prices.stdout);
  const settings = blocksOf(readPage('docs/providers.md'), 'json').find((block) => block.includes('accountSid'));
  await writeFile(join(folder, 'twilio.json'), settings ?? '');
}, HANGS_MS);
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the commands of README.md', { timeout: HANGS_MS }, () => {
  test('each have a check, and no check is unused', () => {
    expect(
      commandsOf(README)
        .filter((line) => !isCurl(line))
        .sort(),
    ).toEqual(Object.keys(CHECKS).sort());
  });

  test('npm start prints what is shown, and a command that sends', async () => {
    const [shown = ''] = blocksOf(README, 'text');
    const lines = normalized(printed)
      .split('\n')
      .map((line) => line.trim());
    const positions = normalized(shown)
      .split('\n')
      // A line of its own that is `…` stands for others.
      .filter((line) => line !== '' && line !== '…')
      .map((line) => lines.indexOf(line.trim()));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const pasted = await shell(/curl -s .*/.exec(printed)?.[0] ?? '');
    expect(JSON.parse(pasted.stdout)).toMatchObject({ status: 'sent', env: 'test', replayed: false });
  });

  test("npm start prints a link that signs in to the console as the demo's owner, once", async () => {
    const { origin, searchParams, hash } = new URL(/http\S+\/console\/sign-in\S+/.exec(printed)?.[0] ?? '');
    const signIn = () =>
      fetch(`${origin}/sessions?${searchParams.toString()}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: hash.slice(1) }),
      });
    const opened = await signIn();
    expect(opened.status).toBe(201);
    expect(await opened.json()).toMatchObject({ person: { role: 'owner' }, organization: { id: found.organization } });
    expect((await signIn()).status).toBe(401);
  });

  test('the send is answered as shown, and a repeat sends nothing', async () => {
    await succeed(sendLine);
    const [shown = ''] = blocksOf(README, 'json');
    expect(normalized(answers.get(sendLine) ?? '')).toBe(normalized(shown));
    const again = await here(sendLine);
    expect(JSON.parse(again.stdout)).toMatchObject({ replayed: true, id: JSON.parse(answers.get(sendLine) ?? '').id });
  });

  test.each(Object.keys(CHECKS))('%s', (line) => CHECKS[line]?.(line));

  test('the list shows the message as delivered and the ledger its price', async () => {
    for (const line of readLines) await succeed(line);
    const [messages, entries] = readLines.map((line) => JSON.parse(answers.get(line) ?? ''));
    expect(messages.items).toMatchObject([{ status: 'delivered', to: '+5511999990005' }]);
    expect(entries.items.map(({ kind, coins }: { kind: string; coins: number }) => [kind, coins])).toEqual([
      ['capture', 0],
      ['hold', -800],
    ]);
  });
});

describe('README.md and the pages of docs', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  const headings = (file: string) =>
    [...readPage(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading));

  test.each(PAGES)('%s has no broken links', (file) => {
    const links = [...readPage(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      return !existsSync(join(PROJECT, target)) || (anchor !== undefined && !headings(target).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test.each(PAGES)('%s names existing scripts, operator commands and options', (file) => {
    const commands = commandsOf(readPage(file));
    const scripts = commands.flatMap((line) =>
      [...line.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    expect(scripts.filter((name) => !(name in PACKAGE.scripts))).toEqual([]);
    const words = commands.flatMap((line) => /(?:^admin |admin -- )([a-z].*)$/.exec(line)?.[1] ?? []);
    expect(words.flatMap(unknownIn)).toEqual([]);
  });

  test('the deployment options in README.md are read by the app', () => {
    const names = [...README.matchAll(/-c (\w+)=/g)].map(([, name = '']) => name);
    const app = readPage('infra/app.ts');
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !app.includes(`'${name}'`))).toEqual([]);
  });
});

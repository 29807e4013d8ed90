import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { newSecret, sign } from '../../shared/domain/webhooks/signature.ts';
import { blocksOf, readPage } from '../docs/commands.ts';
import { startMessaging } from '../support/api.ts';
import { use } from '../support/use.ts';
import { COMPILERS, newProject, ROOT } from './packed.ts';

const run = promisify(execFile);
const page = readPage('sdk/typescript/README.md');
const messaging = await use(startMessaging());

/** The surroundings of the blocks: the values that they leave to the reader. */
const BEFORE = `
import { readFileSync } from 'node:fs';
const secret = process.env.SECRET ?? '';
const linksOf = () => readFileSync(process.env.LOG ?? '', 'utf8').matchAll(/\\/sign-in[^"#]*#(svc_link_\\w+)/g).map(([, token = '']) => token).toArray();
const links = linksOf().length;
const newLink = async (): Promise<string> => {
  while (linksOf().length === links) await new Promise((resolve) => setTimeout(resolve, 100));
  return linksOf().at(-1) ?? '';
};
`;
const AFTER = `
const { headers, body } = JSON.parse(process.env.ATTEMPT ?? '');
const post = (text: string) => receive(new Request('http://shop.example', { method: 'POST', headers, body: text }));
console.log((await post(body)).status, (await post(body + ' ')).status);
`;

/** The blocks of the page as one program, with the addresses and credentials of this service. */
const program = (): string => {
  const blocks = blocksOf(page, 'ts').join('\n');
  const imports = [...blocks.matchAll(/^import \{ ([^}]+) \} from 'multichannel-messaging-sdk';$/gm)].map(
    ([, names]) => names,
  );
  const rest = blocks
    .replaceAll(/^import .*$/gm, '')
    .replace("'https://messaging.example'", "process.env.BASE_URL ?? ''")
    .replace("'svc_test_…'", 'process.env.KEY')
    .replace(/^\/\/ … the link in the mail.*$/m, 'const tokenOfTheLink = await newLink();');
  return `import { ${imports.join(', ')} } from 'multichannel-messaging-sdk';\n${BEFORE}${rest}${AFTER}`;
};

it('the code of the README is typed, runs against the service, and prints what the page says', async () => {
  const folder = await newProject('readme');
  await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  await symlink(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  const file = join(folder, 'readme.ts');
  await writeFile(file, program());
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'esnext',
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }));
  const typed = await run(process.execPath, [COMPILERS['TypeScript 5'], '-p', '.'], { cwd: folder }).catch(
    (error) => error,
  );
  expect(typed.stdout).toBe('');

  const { test } = await messaging.tenant();
  expect((await test.post('/v2/accounts', { name: 'Ana', email: 'ana@example.com', role: 'viewer' })).status).toBe(201);
  const [secret, now] = [newSecret(), Math.floor(Date.now() / 1000)];
  const body = JSON.stringify({ id: 'evt_1', type: 'sms.delivered', sequence: 12, data: { to: '+55119****4321' } });
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(now),
    'webhook-signature': sign([secret], 'evt_1', now, body),
  };
  const env = {
    ...process.env,
    NO_COLOR: '1',
    BASE_URL: messaging.url,
    KEY: test.key,
    SECRET: secret,
    LOG: join(messaging.dataDir, 'functions.log'),
    ATTEMPT: JSON.stringify({ headers, body }),
  };
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env });
  expect(`${stdout.trimEnd()}\n`).toBe(`${[...blocksOf(page, 'text'), '+55119****4321 12', '200 400'].join('\n')}\n`);
}, 180_000);

it('the README says what is installed: the name of the package, and that it depends on nothing', () => {
  const { name } = JSON.parse(readPage('sdk/typescript/package.json')) as { name: string };
  expect(blocksOf(page, 'bash')).toEqual([`npm install ${name}`]);
});

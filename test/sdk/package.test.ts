import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { use } from '../support/use.ts';
import { COMPILERS, newProject, packedFile, ROOT } from './packed.ts';
import { runIn, runtimes } from './runtimes.ts';

const run = promisify(execFile);

const SEND = `
import { isProblem, Messaging } from 'multichannel-messaging-sdk';
const { BASE_URL: baseUrl, KEY: apiKey } = process.env;
const messaging = new Messaging({ baseUrl, apiKey });
const sent = await messaging.sms.send({ to: '+5511999990005', body: 'Olá!', route: 'premium' });
const read = await messaging.sms.get(sent.id);
const listed = [];
for await (const { id } of messaging.sms.list({ limit: 1 })) listed.push(id);
const refused = await messaging.sms.send({ to: 'nobody', body: '', route: 'premium' }).catch((error) => error);
console.log(JSON.stringify({ sent, read, listed, refused: isProblem(refused, 'VALIDATION_ERROR') && refused.errors.map(({ path }) => path) }));
`;

describe('the packed SDK', () => {
  it('holds what is compiled, its texts and nothing else, and depends on nothing', async () => {
    const { stdout } = await run('tar', ['-tzf', await packedFile()]);
    const files = stdout.trim().split('\n').sort();
    expect(files.filter((file) => !/^package\/dist\/(?:generated\/)?[\w.-]+\.(?:js|d\.ts)$/.test(file))).toEqual([
      'package/CHANGELOG.md',
      'package/LICENSE',
      'package/README.md',
      'package/package.json',
    ]);
    expect(files).toContain('package/dist/index.js');
    expect(files).toContain('package/dist/index.d.ts');
    const folder = await newProject('manifest');
    const manifest = JSON.parse(
      await readFile(join(folder, 'node_modules/multichannel-messaging-sdk/package.json'), 'utf8'),
    );
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts', 'bin'])
      expect(manifest, field).not.toHaveProperty(field);
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/multichannel-messaging-sdk']);
  }, 180_000);

  it.each(Object.entries(COMPILERS))(
    'is typed for %s in its strictest mode, with the types of a browser and with those of Node',
    async (name, compiler) => {
      const folder = await newProject(`types-${name.at(-1)}`);
      await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
      await symlink(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
      await writeFile(
        join(folder, 'use.ts'),
        `import { isProblem, Messaging, verifyWebhook, type Contact, type CreateContact } from 'multichannel-messaging-sdk';
const messaging = new Messaging({ baseUrl: '', apiKey: async () => 'svc_test_x', credentials: 'include' });
const given: CreateContact = { phone: '+5511999991234' };
export const contact: Promise<Contact> = messaging.contacts.create(given, { signal: AbortSignal.timeout(1_000) });
export const names = async (): Promise<(string | undefined)[]> => {
  const found: (string | undefined)[] = [];
  for await (const { name } of messaging.contacts.list({ tag: 'vip' })) found.push(name);
  return found;
};
// @ts-expect-error no such field
void messaging.contacts.create({ phone: '+5511999991234', phon: '' });
// @ts-expect-error no such status
void messaging.contacts.list({ optInStatus: 'yes' });
// @ts-expect-error contacts take no idempotency key
void messaging.contacts.create(given, { idempotencyKey: 'a' });
export const why = (error: unknown): string | undefined => (isProblem(error, 'CONFLICT') ? error.meta.contactId : undefined);
export const event = verifyWebhook({ secret: 'whsec_x', headers: new Headers(), body: '' });
`,
      );
      for (const lib of [
        { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
        // The errors of the types of Node are not ours.
        { lib: ['es2022'], types: ['node'], skipLibCheck: true },
      ])
        for (const [module, moduleResolution] of [
          ['nodenext', 'nodenext'],
          ['esnext', 'bundler'],
        ]) {
          const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
          const compilerOptions = { ...strict, ...lib, module, moduleResolution, target: 'es2022', noEmit: true };
          await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
          const typed = await run(process.execPath, [compiler, '-p', '.'], { cwd: folder }).catch((error) => error);
          expect(typed.stdout, `${lib.lib.join(' ')} ${module}`).toBe('');
        }
    },
    300_000,
  );

  describe('sends against the service', async () => {
    const messaging = await use(startMessaging());

    it('in the oldest Node that it is for', () => {
      expect(runtimes().some(({ name }) => name.startsWith('node 20.'))).toBe(true);
    });

    it.each(runtimes().map((runtime) => [runtime.name, runtime] as const))(
      'in %s',
      async (name, runtime) => {
        const folder = await newProject(name.replace(/\W/g, '-'));
        const file = join(folder, 'send.js');
        await writeFile(file, SEND);
        const { test } = await messaging.tenant();
        const printed = await runIn(runtime, file, { BASE_URL: messaging.url, KEY: test.key ?? '' });
        const { sent, read, listed, refused } = JSON.parse(printed);
        expect(sent).toMatchObject({ status: 'sent', replayed: false });
        expect(read).toMatchObject({ id: sent.id, to: '+5511999990005', segments: 1 });
        expect(listed).toEqual([sent.id]);
        expect(refused).toEqual(['body']);
        expect((await test.get('/v2/sms/messages')).body.total).toBe(1);
      },
      300_000,
    );
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import { newLink } from '../../shared/domain/access/sign-in.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { assignSender } from '../../shared/domain/senders/assign.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { putLink } from '../../shared/storage/access/sign-in-links.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { senderStore } from '../../shared/storage/senders/senders.ts';
import { keyFileOf, STAGES, type Stage } from './stages.ts';

/** The demo organization, which the first start creates. */
export interface Demo {
  readonly organizationId: Id<'organization'>;
  /** The owner's account, in both environments. */
  readonly ownerId: Id<'account'>;
  /** First and last characters of each key, enough to identify it. Stored in `demo.json`. */
  readonly hints: Readonly<Record<Stage, string>>;
  /** The full keys; only at the start that created them, since they are not stored. */
  readonly keys?: Readonly<Record<Stage, string>>;
}

const NAME = 'Demo';
const OWNER = { name: 'Dona da Demo', email: 'dona@demo.example' } as const;
const hintOf = (key: string): string => `${key.slice(0, 9)}…${key.slice(-4)}`;

/** The senders of live messages, once a provider is set up. */
const SENDERS = [
  ['email', 'loja.example'],
  ['sms', 'LOJA'],
] as const;
const giveSenders = async (live: Table, organizationId: Id<'organization'>): Promise<void> => {
  const ports = { clock: Date.now, senders: senderStore(live) };
  for (const [channel, value] of SENDERS) await assignSender(ports, { organizationId }, channel, value);
};

/** The owner, in both environments under one id. */
const createOwner = async (
  dataDir: string,
  tables: Readonly<Record<Stage, Table>>,
  organizationId: Id<'organization'>,
): Promise<Id<'account'>> => {
  const { openVault } = await import('../../shared/storage/access/root-key.ts');
  const { localKeyProvider } = await import('../../shared/providers/keys/local-key-provider.ts');
  const provider = localKeyProvider(keyFileOf(dataDir));
  const account = newAccount({ organizationId, ...OWNER, emailHash: '', role: 'owner', status: 'active' }, Date.now());
  for (const stage of STAGES) {
    const emailHash = personHash(await openVault(tables[stage], () => provider, 'people'), OWNER.email);
    const outcome = await accountStore(tables[stage], { byOperator: true }).create(
      { ...account, emailHash },
      undefined,
    );
    if (outcome !== 'saved') throw new Error(`The demo's owner was not created: ${outcome}`);
  }
  return account.id;
};

/** Reads the data directory's demo organization, or creates it. */
export const ensureDemo = async (dataDir: string, tables: Readonly<Record<Stage, Table>>): Promise<Demo> => {
  const file = join(dataDir, 'demo.json');
  const found = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Omit<Demo, 'ownerId'> & Partial<Demo>)
    : undefined;
  if (found?.ownerId) return { ...found, ownerId: found.ownerId };
  const made = found ?? (await createDemo(tables));
  const { organizationId, hints } = made;
  const ownerId = await createOwner(dataDir, tables, organizationId);
  await writeFile(`${file}.new`, `${JSON.stringify({ organizationId, ownerId, hints }, null, 2)}\n`);
  await rename(`${file}.new`, file);
  return { ...made, ownerId };
};

const createDemo = async (tables: Readonly<Record<Stage, Table>>): Promise<Omit<Demo, 'ownerId'>> => {
  const { createOrganization } = await import('../provisioning/organizations.ts');
  const { organizationId, keys } = await createOrganization(tables, { name: NAME });
  await giveSenders(tables.live, organizationId);
  const hints = Object.fromEntries(STAGES.map((stage) => [stage, hintOf(keys[stage])])) as Record<Stage, string>;
  return { organizationId, hints, keys };
};

/** A link by which the demo's owner signs in to the console, in the sandbox: where it leads to below the address of the service. */
export const demoSignIn = async ({ ownerId }: Demo, tables: Readonly<Record<Stage, Table>>): Promise<string> => {
  const owner = await accountStore(tables.test).read(ownerId);
  if (!owner) return '/console/sign-in?env=test';
  const { link, path } = newLink(owner, 'test', Date.now());
  await putLink(tables.test, link);
  return path;
};

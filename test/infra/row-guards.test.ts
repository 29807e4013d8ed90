import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BACKGROUND_GRANTS } from '../../infra/constructs/grants.ts';
import { GUARDED_PARTITIONS, SECRET_PARTITIONS } from '../../infra/constructs/row-guards.ts';
import { NAMES } from '../../infra/stages.ts';
import { GUARDED_ROWS, type GuardedRows, type Uses } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { ROOT_KEYS } from '../../shared/domain/core/secrets.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { partitionsOfRun } from '../support/once-a-run.ts';
import { deploy, type Piece, resourcesOf, statementsOf, textOf } from './support.ts';

const ROOT = join(import.meta.dirname, '../..');
const { apps } = deploy();
const ALL_SECRETS = Object.values(SECRET_PARTITIONS).flat();
const areas = [...Map.groupBy(OPERATIONS, ({ id }) => id.split('.')[0] as string)];

/** The logical ids of the functions' roles, by the functions' names. */
const roles = new Map(
  ENVIRONMENTS.flatMap((environment) =>
    resourcesOf(apps[environment], 'AWS::Lambda::Function').map(({ Properties }) => [
      Properties.FunctionName as string,
      textOf(Properties.Role).replace(/\.Arn$/, ''),
    ]),
  ),
);
const roleOf = (environment: Environment, path: string): string => {
  const role = roles.get(NAMES.function(environment, path));
  if (!role) throw new Error(`There is no function ${path}.`);
  return role;
};

/** The partitions that the role of a function is denied, by whether for writing alone. */
const deniedTo = (environment: Environment, path: string) => {
  const role = roleOf(environment, path);
  const denials = statementsOf(apps[environment]).filter(({ owner, effect }) => owner === role && effect === 'Deny');
  const keysOf = (test: (actions: string[]) => boolean): string[] =>
    denials
      .filter(({ actions }) => test(actions))
      .flatMap(({ conditions }: Piece) => conditions['ForAnyValue:StringLike']['dynamodb:LeadingKeys']);
  return {
    reads: keysOf((actions) => actions.includes('dynamodb:GetItem')),
    writes: keysOf((actions) => actions.includes('dynamodb:PutItem') && actions.includes('dynamodb:UpdateItem')),
  };
};

/** The writers of rows in a storage file, by the name of their key. */
const writerOf = (key: string): RegExp =>
  new RegExp(`(?:update|delete):\\s*KEYS\\.${key}\\(|put:\\s*\\{\\s*\\.\\.\\.KEYS\\.${key}\\(|put:\\s*${key}Row\\(`);
const WRITERS: Readonly<Record<GuardedRows, RegExp>> = {
  credentials: writerOf('credential'),
  prices: writerOf('prices'),
  smpp_accounts: writerOf('(?:smppAccount|smppSystemId)'),
};

interface Source {
  readonly imports: readonly string[];
  /** The kinds of rows that it writes. */
  readonly writes: ReadonlySet<GuardedRows>;
}
/** Most functions share most of their files. */
const sources = new Map<string, Source>();
const sourceOf = (file: string): Source => {
  const known = sources.get(file);
  if (known) return known;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const values = text.replaceAll(/import type [^;]+;/g, '');
  const imports = [...values.matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)].map(([, from, lazy]) =>
    join(dirname(file), from ?? lazy ?? ''),
  );
  const source = { imports, writes: new Set(GUARDED_ROWS.filter((rows) => WRITERS[rows].test(text))) };
  sources.set(file, source);
  return source;
};
/** The files that a function is made of, by following its imports. */
const filesOf = (entry: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const file of sourceOf(entry).imports) filesOf(file, seen);
  return seen;
};
/** The files of a function that write rows of a kind. */
const writes = (path: string, rows: GuardedRows): string[] =>
  [...filesOf(join(ROOT, 'functions', `${path}.ts`))]
    .filter((file) => sourceOf(file).writes.has(rows))
    .map((file) => relative(ROOT, file));

describe.each(ENVIRONMENTS)('the roles of stage %s', (environment) => {
  it.each(areas)('of %s cannot write guarded rows that none of its operations declares', (_, contracts) => {
    const path = contracts[0]?.id.replace('.', '/') as string;
    const writing = contracts.some(({ uses }) => uses.table === 'write');
    for (const rows of GUARDED_ROWS) {
      const declared = contracts.some(({ uses }) =>
        (uses.writes as readonly GuardedRows[] | undefined)?.includes(rows),
      );
      for (const partition of GUARDED_PARTITIONS[rows])
        expect(deniedTo(environment, path).writes.includes(partition), rows).toBe(writing && !declared);
    }
  });

  it.each(areas)(
    'of %s reach the root keys that their operations declare, and what these alone seal',
    (_, contracts) => {
      const path = contracts[0]?.id.replace('.', '/') as string;
      const none = contracts.every(({ uses }) => uses.table === 'none');
      const { reads } = deniedTo(environment, path);
      for (const name of ROOT_KEYS) {
        const reaches = contracts.some(({ uses }: { uses: Uses }) => uses.rootKeys?.includes(name));
        for (const partition of SECRET_PARTITIONS[name])
          expect(reads.includes(partition), partition).toBe(!(reaches || none));
      }
    },
  );

  it('of functions that anybody may call reach no settings of providers to send with, no content and no token', () => {
    for (const path of ['callbacks/receive', 'links/follow', 'sessions/create', 'unsubscribe/confirm'])
      for (const name of ['providers', 'content', 'numbers', 'push', 'webhooks', 'contacts', 'cursors'] as const)
        expect(deniedTo(environment, path).reads, path).toEqual(expect.arrayContaining([...SECRET_PARTITIONS[name]]));
  });

  it('of functions that anybody may call reach no credential and no SMPP account', () => {
    const anybody = OPERATIONS.filter(({ permission, uses }) => permission === 'public' && uses.table !== 'none');
    // Who signs in makes a session, whose credential is then written.
    const others = anybody.filter(({ id }) => !id.startsWith('sessions.'));
    expect(others.map(({ id }) => id)).toEqual(expect.arrayContaining(['callbacks.receive', 'links.follow']));
    for (const { id } of others)
      expect(deniedTo(environment, id.replace('.', '/')).reads, id).toEqual(
        expect.arrayContaining([...GUARDED_PARTITIONS.credentials, ...GUARDED_PARTITIONS.smpp_accounts]),
      );
  });

  it('of every area but its own read no SMPP account', () => {
    const tableless = new Set(['meta']);
    for (const [area, contracts] of areas.filter(([each]) => !tableless.has(each)))
      for (const partition of ['SMPPS#*', 'SMPPSYS#*'])
        expect(
          deniedTo(environment, contracts[0]?.id.replace('.', '/') as string).reads.includes(partition),
          area,
        ).toBe(area !== 'smpp');
  });

  it('of links, documentation and health reach neither a root key nor a provider’s settings', () => {
    expect(deniedTo(environment, 'links/follow').reads).toEqual(expect.arrayContaining(ALL_SECRETS));
    const meta = resourcesOf(apps[environment], 'AWS::IAM::Role').find(({ id }) => id.startsWith('Rolemeta'));
    expect(JSON.stringify(meta?.Properties.Policies)).not.toMatch(/dynamodb|kms/);
  });

  it('of consumers, dispatcher and authorizer write no guarded row', () => {
    for (const path of [...Object.values(QUEUES).map(({ consumer }) => `consumers/${consumer}`), 'schedules/dispatch'])
      for (const rows of GUARDED_ROWS)
        expect(deniedTo(environment, path).writes).toEqual(expect.arrayContaining([...GUARDED_PARTITIONS[rows]]));
    expect(deniedTo(environment, 'authorizer').reads).toEqual([...ALL_SECRETS, ...GUARDED_PARTITIONS.smpp_accounts]);
  });
});

/** The partitions that the role of a function may write. */
const writableTo = (environment: Environment, path: string): string[] =>
  statementsOf(apps[environment])
    .filter(({ owner, effect }) => owner === roleOf(environment, path) && effect === 'Allow')
    .filter(({ actions }) => actions.includes('dynamodb:PutItem'))
    .flatMap(({ conditions }: Piece) => conditions['ForAllValues:StringLike']['dynamodb:LeadingKeys']);

describe.each(ENVIRONMENTS)('the roles of stage %s', (environment) => {
  it('write only in partitions that they name; a write whose partition is unknown is refused', () => {
    const writes = statementsOf(apps[environment]).filter(
      ({ effect, actions }) =>
        effect === 'Allow' &&
        actions.some((each) => /^dynamodb:(?!Get|BatchGet|Query|Describe|ListStreams)/.test(each)),
    );
    expect(writes.length).toBeGreaterThan(20);
    for (const { owner, conditions } of writes) {
      const patterns = conditions?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
      expect(patterns.length, owner).toBeGreaterThan(0);
      for (const pattern of patterns) expect(pattern, owner).toMatch(/^[A-Z]+(?:#\*)?$/);
      expect(conditions.Null, owner).toEqual({ 'dynamodb:LeadingKeys': 'false' });
    }
  });

  it('of areas other than sending reach neither messages nor money', () => {
    for (const path of ['email-templates/create', 'keys/create', 'senders/create', 'organization/change'])
      for (const pattern of ['MSG#*', 'WALLET#*', 'BATCH#*'])
        expect(writableTo(environment, path), path).not.toContain(pattern);
    expect(writableTo(environment, 'email-templates/create')).toEqual(
      expect.arrayContaining(['AUDS#*', 'ETPL#*', 'ETPLNAME#*']),
    );
  });
});

describe('the permitted writes of a function', () => {
  it('is the partitions of the keys that it can name, those behind a lazy import included', async () => {
    const partitions = new Map(await partitionsOfRun());
    // Rate limits are loaded by the calls that draw from one.
    expect(partitions.get('email-templates/list')).toContain('RATE#*');
    expect(partitions.get('sms/send')).toEqual(expect.arrayContaining(['IDEM#*', 'MSG#*', 'WALLET#*']));
    expect(partitions.get('meta/health')).not.toContain('MSG#*');
    for (const [path, patterns] of partitions) expect(new Set(patterns).size, path).toBe(patterns.length);
  });
});

describe('the writers of guarded rows', () => {
  it.each(areas)('in %s declares it, or the deployed stage would refuse it', (_, contracts) => {
    for (const rows of GUARDED_ROWS) {
      const declared = contracts.some(({ uses }) =>
        (uses.writes as readonly GuardedRows[] | undefined)?.includes(rows),
      );
      const found = contracts.flatMap(({ id }) => writes(id.replace('.', '/'), rows));
      // Who reads prices imports the file that the operator writes them with.
      if (rows !== 'prices') expect(declared, found.join()).toBe(found.length > 0);
    }
  });

  it('is no consumer, dispatcher or authorizer', () => {
    expect(BACKGROUND_GRANTS.writes).toBeUndefined();
    for (const path of [
      'authorizer',
      'schedules/dispatch',
      ...Object.values(QUEUES).map(({ consumer }) => `consumers/${consumer}`),
    ])
      expect(writes(path, 'credentials')).toEqual([]);
  });

  it('is found: the writers of credentials are their writes and the store of keys', () => {
    expect(new Set(writes('keys/create', 'credentials'))).toEqual(
      new Set(['shared/storage/access/credential-writes.ts', 'shared/storage/access/keys.ts']),
    );
  });
});

import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { GUARDED_ROWS, type GuardedRows, type Uses } from '../../shared/contracts/define-operation.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { ROOT_KEYS, type RootKey } from '../../shared/domain/core/secrets.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { partitionPattern } from '../build/table-partitions.ts';

/** The partitions of the guarded rows, printed from the key table. */
export const GUARDED_PARTITIONS: Readonly<Record<GuardedRows, readonly string[]>> = {
  credentials: [partitionPattern(KEYS.credential(''))],
  prices: [partitionPattern(KEYS.prices(''))],
  smpp_accounts: [
    partitionPattern(KEYS.smppAccount('' as Id<'organization'>, '')),
    partitionPattern(KEYS.smppSystemId('')),
  ],
};
/** Rows of hashed secrets: readable only by roles whose code uses them. */
const SECRET_ROWS = [...GUARDED_PARTITIONS.credentials, ...GUARDED_PARTITIONS.smpp_accounts];
/** The partitions that only roles with a root key may use: the key's own, and the rows that it alone seals. */
export const SECRET_PARTITIONS = Object.fromEntries(
  ROOT_KEYS.map((name) => [
    name,
    [
      KEYS.rootKey(name).pk,
      ...(name === 'providers' ? [KEYS.provider('', '').pk] : []),
      ...(name === 'callbacks' ? [KEYS.providerCallbacks('', '').pk] : []),
    ],
  ]),
) as unknown as Readonly<Record<RootKey, readonly string[]>>;

interface TableActions {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

const deny = (actions: readonly string[], tableArn: string, keys: readonly string[]): PolicyStatement[] =>
  actions.length === 0 || keys.length === 0
    ? []
    : [
        new PolicyStatement({
          effect: Effect.DENY,
          actions: [...actions],
          resources: [tableArn],
          conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [...keys] } },
        }),
      ];

/** The patterns of several functions, sorted and without duplicates, so that a role's policy only changes with its permissions. */
export const unionOf = (patterns: readonly (readonly string[])[]): string[] => [...new Set(patterns.flat())].sort();

/** Restricts table actions to partitions by their patterns; a call whose keys IAM does not see is denied. */
export const inPartitions = (patterns: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/**
 * The denials of a role in the table, by the first part of the key: writing guarded rows that it does not declare, though its code can name
 * them; any access to root keys that it does not declare, and to credentials and SMPP accounts where its code cannot name them.
 */
export const guardStatements = (
  {
    writes = [],
    rootKeys = [],
    partitions = [],
  }: Pick<Uses, 'rootKeys' | 'writes'> & { readonly partitions?: readonly string[] },
  tableArn: string,
  { read, write }: TableActions,
): PolicyStatement[] => {
  const guarded = GUARDED_ROWS.filter((name) => !writes.includes(name)).flatMap((name) => GUARDED_PARTITIONS[name]);
  return [
    ...deny(
      write.filter((action) => action !== 'dynamodb:ConditionCheckItem'),
      tableArn,
      guarded,
    ),
    ...deny([...read, ...write], tableArn, [
      ...ROOT_KEYS.filter((name) => !rootKeys.includes(name)).flatMap((name) => SECRET_PARTITIONS[name]),
      ...SECRET_ROWS.filter((each) => !partitions.includes(each)),
    ]),
  ];
};

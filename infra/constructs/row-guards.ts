import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { GUARDED_ROWS, type GuardedRows, type Uses } from '../../shared/contracts/define-operation.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';

/** The partition keys of an entry of the key table, as a pattern of `dynamodb:LeadingKeys`: `CRED#*` of `CRED#{sha256}`. */
const partitions = ({ pk }: { readonly pk: string }): string =>
  pk.includes('#') ? `${pk.slice(0, pk.indexOf('#') + 1)}*` : pk;

/** The partitions of the guarded rows, printed from the key table. */
export const GUARDED_PARTITIONS: Readonly<Record<GuardedRows, readonly string[]>> = {
  credentials: [partitions(KEYS.credential(''))],
  prices: [partitions(KEYS.prices(''))],
};
/** The root key and the providers' settings, which share a partition. */
export const SECRET_PARTITIONS: readonly string[] = [
  ...new Set([KEYS.rootKey(), KEYS.provider('', '')].map(partitions)),
];

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

/**
 * What a role is denied in the table by the first part of the key: writing guarded rows that it does not declare, and any access to secrets
 * without the vault. Denials and not lists of what is allowed, because a denial that is missing leaves the guard of the code, while a
 * permission that is missing stops the service.
 */
export const guardStatements = (
  { writes = [], vault }: Pick<Uses, 'writes' | 'vault'>,
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
    ...(vault ? [] : deny([...read, ...write], tableArn, SECRET_PARTITIONS)),
  ];
};

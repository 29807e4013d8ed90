import type { Credential } from '../../domain/access/credentials.ts';
import { KEYS } from '../access-patterns.ts';
import { ttlAfter } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { credentialRows } from './credentials.ts';

/** The row of a credential under the hash of its secret. */
export const credentialRow = (hash: string, credential: Credential): Row => {
  const row = credentialRows.write(credential, hash);
  return credential.expiresAt === undefined ? row : { ...row, ttl: ttlAfter(credential.expiresAt) };
};

/** Sets the addresses of a secret's credential, or removes them. Condition: the credential exists. */
export const credentialRangesWrite = (hash: string, allowedIps: readonly string[] | undefined): WriteOp => ({
  update: KEYS.credential(hash),
  ...(allowedIps === undefined ? { remove: ['allowedIps'] } : { set: { allowedIps } }),
  when: EXISTS,
});

/** Puts a credential. Condition: no other credential has this hash. */
export const newCredentialWrite = (hash: string, credential: Credential): WriteOp => ({
  put: credentialRow(hash, credential),
  when: { text: 'attribute_not_exists(#pk)' },
});

import * as z from 'zod';
import type { Credential, CredentialReader } from '../../domain/access/credentials.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { SCOPES } from '../../domain/core/scopes.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { readAccount } from './accounts.ts';

/** Credentials by the hash of their secret. The secret itself is not stored. */
const credentialRows = defineRow<Credential>()({
  attributes: {
    id: z.union([id('apiKey'), id('session')]),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    kind: z.enum(['key', 'session']),
    scopes: z.array(z.enum(SCOPES)),
    accountId: id('account').exactOptional(),
    expiresAt: time.exactOptional(),
  },
  rename: { organizationId: 'org' },
  key: (_, hash: string) => KEYS.credential(hash),
});

/** A credential's row expires a day after the credential. */
const ttlOf = (expiresAt: number): number => Math.floor(expiresAt / 1000) + 24 * 3600;

/** The row of a credential under the hash of its secret. */
export const credentialRow = (hash: string, credential: Credential): Row => {
  const row = credentialRows.write(credential, hash);
  return credential.expiresAt === undefined ? row : { ...row, ttl: ttlOf(credential.expiresAt) };
};

/** Puts a credential. Condition: no other credential has this hash. */
export const newCredentialWrite = (hash: string, credential: Credential): WriteOp => ({
  put: credentialRow(hash, credential),
  when: { text: 'attribute_not_exists(#pk)' },
});

/** Reads credentials for the authorizer, strongly consistent: a revoked credential is refused at once. */
export const credentialReader = (table: Table): CredentialReader => ({
  async find(sha256) {
    const row = await table.get(KEYS.credential(sha256));
    return row && credentialRows.read(row);
  },
  account: (accountId) => readAccount(table, accountId),
});

/** Stores a session's credential. Throws if the secret is already in use, which 238 random bits rule out. */
export const putSession = async (table: Table, hash: string, session: Credential): Promise<void> => {
  const written = await table.write(newCredentialWrite(hash, session));
  if (!written.ok && written.row?.id !== session.id) throw new Error('The secret of a session is already in use.');
};

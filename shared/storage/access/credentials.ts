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

/** The row by which a secret is recognised: found by the secret's hash, without a trace of its text. */
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

/** A day after its end a credential's row goes away by itself. */
const ttlOf = (expiresAt: number): number => Math.floor(expiresAt / 1000) + 24 * 3600;

/** The row of a credential under the hash of its secret. */
export const credentialRow = (hash: string, credential: Credential): Row => {
  const row = credentialRows.write(credential, hash);
  return credential.expiresAt === undefined ? row : { ...row, ttl: ttlOf(credential.expiresAt) };
};

/** Puts a credential under a hash that no other has. */
export const newCredentialWrite = (hash: string, credential: Credential): WriteOp => ({
  put: credentialRow(hash, credential),
  when: { text: 'attribute_not_exists(#pk)' },
});

/** Credentials of a stage, as its authorizer reads them: strongly consistent, so that what was revoked is gone. */
export const credentialReader = (table: Table): CredentialReader => ({
  async find(sha256) {
    const row = await table.get(KEYS.credential(sha256));
    return row && credentialRows.read(row);
  },
  account: (accountId) => readAccount(table, accountId),
});

/** Stores a session's credential. Throws when the secret was ever seen before, which 238 random bits rule out. */
export const putSession = async (table: Table, hash: string, session: Credential): Promise<void> => {
  const written = await table.write(newCredentialWrite(hash, session));
  if (!written.ok && written.row?.id !== session.id) throw new Error('A session met the secret of another.');
};

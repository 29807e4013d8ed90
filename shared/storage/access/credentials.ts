import * as z from 'zod';
import type { Credential, CredentialReader } from '../../domain/access/credentials.ts';
import { SCOPES } from '../../domain/core/scopes.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { readAccount } from './accounts.ts';
import { ancestorOf } from './key-rows.ts';

/** Credentials by the hash of their secret. The secret itself is not stored. */
export const credentialRows = defineRow<Credential>()({
  attributes: {
    id: z.union([id('apiKey'), id('session')]),
    ...tenant,
    kind: z.enum(['key', 'session']),
    scopes: z.array(z.enum(SCOPES)),
    accountId: id('account').exactOptional(),
    sessionEpoch: z.int().exactOptional(),
    expiresAt: time.exactOptional(),
    ancestors: z.array(id('apiKey')).default([]),
    allowedIps: z.array(z.string()).exactOptional(),
    tiedTo: z.array(z.string()).exactOptional(),
  },
  key: (_, hash: string) => KEYS.credential(hash),
});

/** Reads credentials for the authorizer, strongly consistent: a revoked credential is rejected immediately. */
export const credentialReader = (table: Table): CredentialReader => ({
  async find(sha256) {
    const row = await table.get(KEYS.credential(sha256));
    return row && credentialRows.read(row);
  },
  async ancestors(ids) {
    const rows = await table.getMany(
      ids.map((keyId) => KEYS.apiKey(keyId)),
      { consistent: true },
    );
    return rows.map((row) => row && ancestorOf(row));
  },
  account: (accountId) => readAccount(table, accountId),
});

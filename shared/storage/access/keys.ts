import * as z from 'zod';
import type { Credential } from '../../domain/access/credentials.ts';
import type { ApiKey, KeyStore } from '../../domain/access/keys.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { SCOPES } from '../../domain/core/scopes.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { INDEX_KEYS, KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { newestPage } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { credentialRow, newCredentialWrite } from './credentials.ts';
import { readOrganization } from './organizations.ts';

const hash = z.string().length(64);
const keyRows = defineRow<ApiKey>()({
  attributes: {
    id: id('apiKey'),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    hash,
    last4: z.string().length(4),
    oldSecrets: z.array(z.object({ hash, until: time })),
    createdAt: time,
    expiresAt: time.exactOptional(),
    rotatedAt: time.exactOptional(),
    revokedAt: time.exactOptional(),
  },
  rename: { organizationId: 'org' },
  key: (key) => KEYS.apiKey(key.id),
  index: (key) => INDEX_KEYS.keysOf(key.organizationId, isoTime(key.createdAt), key.id),
});

/** The credential of each secret of a key. */
const credentialOf = ({ id, organizationId, env, scopes, expiresAt }: ApiKey): Credential => ({
  id,
  organizationId,
  env,
  kind: 'key',
  scopes,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

/** The writes of a new key: its record and the credential of its secret. The caller counts it in the organization's total. */
export const newKeyWrites = (key: ApiKey): WriteOp[] => [
  { put: keyRows.write(key), when: { text: 'attribute_not_exists(#pk)' } },
  newCredentialWrite(key.hash, credentialOf(key)),
];

const secretsOf = (key: ApiKey): readonly string[] => [key.hash, ...key.oldSecrets.map(({ hash }) => hash)];

/** After a rotation: secrets that stay valid for a while get their expiry, the others are deleted. */
const oldSecretWrites = (before: ApiKey, after: ApiKey): WriteOp[] =>
  secretsOf(before).map((hash): WriteOp => {
    const until = after.oldSecrets.find((old) => old.hash === hash)?.until;
    return until === undefined
      ? { delete: KEYS.credential(hash) }
      : { put: credentialRow(hash, { ...credentialOf(after), expiresAt: until }) };
  });

/** Condition: the key was neither rotated nor revoked since it was read. */
const isUnchanged = ({ hash }: ApiKey): Condition => ({
  text: '#hash = :hash AND attribute_not_exists(#revokedAt)',
  values: { hash },
});

/** Keys in the table of one stage. */
export const keyStore = (table: Table): KeyStore => ({
  async create(key, event?: DomainEvent) {
    const outcome = await table.transact([
      ...newKeyWrites(key),
      { update: KEYS.organization(key.organizationId), add: { keys: 1 }, when: { text: 'attribute_exists(#pk)' } },
      ...(event ? [eventWrite(event)] : []),
    ]);
    return outcome.ok || outcome.reasons[0]?.row?.hash === key.hash;
  },

  async read(id) {
    const row = await table.get(KEYS.apiKey(id));
    return row && keyRows.read(row);
  },

  async list(organizationId, page) {
    const [rows, organization] = await Promise.all([
      newestPage(table, { index: 'gsi1', partition: INDEX_KEYS.keysOf(organizationId, '', '').gsi1pk }, page),
      readOrganization(table, organizationId),
    ]);
    return { items: rows.map(keyRows.read), total: organization?.keys ?? 0 };
  },

  async rotate(before, after, event) {
    const { hash, last4, oldSecrets } = after;
    const outcome = await table.transact([
      {
        update: KEYS.apiKey(before.id),
        set: keyRows.set({ hash, last4, oldSecrets, rotatedAt: event.createdAt }),
        when: isUnchanged(before),
      },
      newCredentialWrite(hash, credentialOf(after)),
      ...oldSecretWrites(before, after),
      eventWrite(event),
    ]);
    return outcome.ok || outcome.reasons[0]?.row?.hash === hash;
  },

  async revoke(before, revokedAt) {
    const outcome = await table.transact([
      {
        update: KEYS.apiKey(before.id),
        set: keyRows.set({ revokedAt, oldSecrets: [] }),
        when: isUnchanged(before),
      },
      ...secretsOf(before).map((hash) => ({ delete: KEYS.credential(hash) })),
    ]);
    return outcome.ok;
  },
});

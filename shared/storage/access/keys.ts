import type { Credential } from '../../domain/access/credentials.ts';
import type { ApiKey, KeyStore } from '../../domain/access/keys.ts';
import { definedFields } from '../../domain/core/patch.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { newestPage } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { countWrite, readCount } from './counters.ts';
import { credentialRangesWrite, credentialRow, newCredentialWrite } from './credential-writes.ts';
import { keyRows } from './key-rows.ts';
import { organizationExists } from './organizations.ts';

/** The credential of each secret of a key. */
const credentialOf = ({ id, organizationId, env, scopes, ancestors, ...limits }: ApiKey): Credential => ({
  id,
  organizationId,
  env,
  kind: 'key',
  scopes,
  ancestors,
  ...definedFields({ allowedIps: limits.allowedIps, expiresAt: limits.expiresAt, tiedTo: limits.tiedTo }),
});

/** The writes of a new key: its record and the credential of its secret. The caller counts it in the organization's total. */
export const newKeyWrites = (key: ApiKey): WriteOp[] => [
  { put: keyRows.write(key), when: ABSENT },
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

/** Condition: the creating key is not revoked, so that no new key escapes a revocation. */
const creatorChecks = ({ ancestors: [creator] }: ApiKey): WriteOp[] =>
  creator === undefined
    ? []
    : [{ check: KEYS.apiKey(creator), when: { text: 'attribute_exists(#pk) AND attribute_not_exists(#revokedAt)' } }];

/** Condition: the keys below this one were not revoked with it, so that of concurrent revocations only one writes an audit entry. */
const ACTIVE_TREE: Condition = { text: 'attribute_exists(#pk) AND attribute_not_exists(#treeRevokedAt)' };

/** Revokes the key, or revokes the keys below one that was revoked alone. */
const revokeWrites = (before: ApiKey, revokedAt: number, tree: boolean): WriteOp[] => {
  const update = KEYS.apiKey(before.id);
  if (before.revokedAt !== undefined)
    return [{ update, set: keyRows.set({ treeRevokedAt: revokedAt }), when: ACTIVE_TREE }];
  return [
    {
      update,
      set: keyRows.set({ revokedAt, oldSecrets: [], treeRevokedAt: tree ? revokedAt : undefined }),
      when: isUnchanged(before),
    },
    ...secretsOf(before).map((hash) => ({ delete: KEYS.credential(hash) })),
  ];
};

/** Keys in the table of one stage. */
export const keyStore = (table: Table): KeyStore => ({
  async create(key, { event, entry }) {
    if (!(await organizationExists(table, key.organizationId))) return 'no_organization';
    const outcome = await table.transact([
      ...newKeyWrites(key),
      countWrite(key.organizationId, 'keys', key.id),
      eventWrite(event),
      ...creatorChecks(key),
      ...auditWrites(entry),
    ]);
    return outcome.ok || outcome.reasons[0]?.row?.hash === key.hash ? 'created' : 'creator_revoked';
  },

  async read(id) {
    const row = await table.get(KEYS.apiKey(id));
    return row && keyRows.read(row);
  },

  async readMany(ids) {
    const rows = await table.getMany(
      ids.map((keyId) => KEYS.apiKey(keyId)),
      { consistent: true },
    );
    return rows.filter((row) => row !== undefined).map(keyRows.read);
  },

  async list(organizationId, page) {
    const [rows, total] = await Promise.all([
      newestPage(table, { index: 'gsi1', partition: INDEX_KEYS.keysOf(organizationId, '', '').gsi1pk }, page),
      readCount(table, organizationId, 'keys'),
    ]);
    return { items: rows.map(keyRows.read), total };
  },

  async rotate(before, after, { event, entry }) {
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
      ...auditWrites(entry),
    ]);
    return outcome.ok || outcome.reasons[0]?.row?.hash === hash;
  },

  async change(before, after, now, entry) {
    const { allowedIps, name } = after;
    const working = [before.hash, ...before.oldSecrets.filter(({ until }) => until > now).map(({ hash }) => hash)];
    const outcome = await table.transact([
      {
        update: KEYS.apiKey(before.id),
        set: keyRows.set({ name, allowedIps }),
        ...(allowedIps === undefined ? { remove: ['allowedIps'] } : {}),
        when: isUnchanged(before),
      },
      ...working.map((hash) => credentialRangesWrite(hash, allowedIps)),
      ...auditWrites(entry),
    ]);
    return outcome.ok;
  },

  async revoke(before, revokedAt, tree, entry) {
    const writes = revokeWrites(before, revokedAt, tree);
    return (await table.transact([...writes, ...auditWrites(entry)])).ok;
  },
});

import * as z from 'zod';
import type { Credential } from '../domain/access/credentials.ts';
import type { ApiKey, KeyStore } from '../domain/access/keys.ts';
import { SCOPES } from '../domain/access/scopes.ts';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import type { Id } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import { credentialTtl, credentialWrite, readOrganization, readPage } from './access.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import { eventWrite } from './outbox.ts';
import type { Row, Table } from './table.ts';

const moment = z.iso.datetime().transform((text) => Date.parse(text));

const keyRow = z.object({
  id: z.string().transform((text) => text as Id<'apiKey'>),
  org: z.string().transform((text) => text as Id<'organization'>),
  env: z.enum(ENVIRONMENTS),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  hash: z.string().length(64),
  last4: z.string().length(4),
  oldSecrets: z.array(z.object({ hash: z.string().length(64), until: moment })),
  createdAt: moment,
  expiresAt: moment.exactOptional(),
  rotatedAt: moment.exactOptional(),
  revokedAt: moment.exactOptional(),
});

const parseKey = (row: Row): ApiKey => {
  const { org, ...key } = keyRow.parse(row);
  return { ...key, organizationId: org };
};

const storedSecrets = (key: ApiKey) => key.oldSecrets.map(({ hash, until }) => ({ hash, until: isoTime(until) }));

const recordWrite = (key: ApiKey): WriteOp => {
  const createdAt = isoTime(key.createdAt);
  return {
    put: {
      ...KEYS.apiKey(key.id),
      ...FINDS.keysOf(key.organizationId, createdAt, key.id),
      id: key.id,
      org: key.organizationId,
      env: key.env,
      name: key.name,
      scopes: key.scopes,
      hash: key.hash,
      last4: key.last4,
      oldSecrets: storedSecrets(key),
      createdAt,
      expiresAt: key.expiresAt === undefined ? undefined : isoTime(key.expiresAt),
    },
    when: { text: 'attribute_not_exists(#pk)' },
  };
};

const credentialOf = ({ id, organizationId, env, scopes, expiresAt }: ApiKey): Credential => ({
  id,
  organizationId,
  env,
  kind: 'key',
  scopes,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

/** The writes of a new key: its record and its secret's credential. The organization's total of keys is the caller's part. */
export const newKeyWrites = (key: ApiKey): WriteOp[] => [
  recordWrite(key),
  credentialWrite(key.hash, credentialOf(key)),
];

/** Old secrets after a rotation: those that live on get their end, the others go. */
const oldSecretWrites = (before: ApiKey, after: ApiKey): WriteOp[] =>
  [before.hash, ...before.oldSecrets.map(({ hash }) => hash)].map((hash): WriteOp => {
    const until = after.oldSecrets.find((old) => old.hash === hash)?.until;
    if (until === undefined) return { delete: KEYS.credential(hash) };
    return {
      put: { ...putOf(credentialWrite(hash, { ...credentialOf(after), expiresAt: until })), ttl: credentialTtl(until) },
    };
  });

const putOf = (write: WriteOp) => {
  if (!('put' in write)) throw new TypeError('a credential is written by a put');
  return write.put;
};

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
    return row && parseKey(row);
  },

  async list(organizationId, page) {
    const [rows, organization] = await Promise.all([
      readPage(table, FINDS.keysOf(organizationId, '', '').gsi1pk, page),
      readOrganization(table, organizationId),
    ]);
    return { items: rows.map(parseKey), total: organization?.keys ?? 0 };
  },

  async rotate(before, after, event) {
    const outcome = await table.transact([
      {
        update: KEYS.apiKey(before.id),
        set: {
          hash: after.hash,
          last4: after.last4,
          oldSecrets: storedSecrets(after),
          rotatedAt: isoTime(event.createdAt),
        },
        when: { text: '#hash = :hash AND attribute_not_exists(#revokedAt)', values: { hash: before.hash } },
      },
      credentialWrite(after.hash, credentialOf(after)),
      ...oldSecretWrites(before, after),
      eventWrite(event),
    ]);
    return outcome.ok || outcome.reasons[0]?.row?.hash === after.hash;
  },

  async revoke(before, revokedAt) {
    const outcome = await table.transact([
      {
        update: KEYS.apiKey(before.id),
        set: { revokedAt: isoTime(revokedAt), oldSecrets: [] },
        when: { text: '#hash = :hash AND attribute_not_exists(#revokedAt)', values: { hash: before.hash } },
      },
      ...[before.hash, ...before.oldSecrets.map(({ hash }) => hash)].map((hash) => ({ delete: KEYS.credential(hash) })),
    ]);
    return outcome.ok;
  },
});

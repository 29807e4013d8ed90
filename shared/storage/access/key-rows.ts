import * as z from 'zod';
import type { Ancestor } from '../../domain/access/key-ancestors.ts';
import type { ApiKey } from '../../domain/access/keys.ts';
import { SCOPES } from '../../domain/core/scopes.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

const hash = z.string().length(64);
/** API keys. */
export const keyRows = defineRow<ApiKey>()({
  attributes: {
    id: id('apiKey'),
    ...tenant,
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    createdBy: z.union([id('account'), id('apiKey')]).exactOptional(),
    ancestors: z.array(id('apiKey')).default([]),
    tiedTo: z.array(hash).exactOptional(),
    allowedIps: z.array(z.string()).exactOptional(),
    hash,
    last4: z.string().length(4),
    oldSecrets: z.array(z.object({ hash, until: time })),
    createdAt: time,
    expiresAt: time.exactOptional(),
    rotatedAt: time.exactOptional(),
    revokedAt: time.exactOptional(),
    treeRevokedAt: time.exactOptional(),
    lastUsedAt: time.exactOptional(),
    lastUsedIp: z.string().exactOptional(),
  },
  key: (key) => KEYS.apiKey(key.id),
  index: (key) => INDEX_KEYS.keysOf(key.organizationId, isoTime(key.createdAt), key.id),
});

/** The restrictions that a key's row imposes on the keys below it. */
export const ancestorOf: (row: Row) => Ancestor = keyRows.pick(
  'allowedIps',
  'treeRevokedAt',
  'oldSecrets',
  'rotatedAt',
  'revokedAt',
);

import * as z from 'zod';
import type { LinkRequest } from '../../domain/access/accounts.ts';
import type { SignInLink } from '../../domain/access/sign-in.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time, ttlAfter } from '../client/attributes.ts';
import { updateOnce } from '../client/claim-mark.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

const linkRows = defineRow<SignInLink>()({
  attributes: { hash: z.string().length(64), accountId: id('account'), sessionEpoch: z.int(), expiresAt: time },
  key: ({ hash }) => KEYS.signInLink(hash),
});

/** Requests to mail links. They contain no address, only its blind index. */
const requestRows = defineRow<LinkRequest>()({
  attributes: {
    id: id('request'),
    emailHash: z.string().length(43),
    organizationId: id('organization').exactOptional(),
    createdAt: time,
  },
  key: (request) => KEYS.linkRequest(request.id),
  index: ({ id: requestId, createdAt }) => INDEX_KEYS.due('mail_sign_in', requestId, createdAt),
});
/** How long a worker claims a request, in ms: longer than mailing all of its links takes. */
const LEASE_MS = 120_000;

/** Stores a request, due immediately. */
export const linkRequestWrite = (request: LinkRequest): WriteOp => ({
  put: { ...requestRows.write(request), ttl: ttlAfter(request.createdAt) },
  when: ABSENT,
});

/** Claims a due request for two minutes; undefined if it is done or another worker has it. */
export const takeRequest = async (
  table: Table,
  requestId: Id<'request'>,
  now: number,
): Promise<LinkRequest | undefined> => {
  const row = await updateOnce(table, {
    update: KEYS.linkRequest(requestId),
    set: { dueAt: now + LEASE_MS },
    when: { text: 'attribute_exists(#pk) AND #dueAt <= :now', values: { now } },
  });
  return row && requestRows.read(row);
};

/** Stores a link under the hash of its token. */
export const putLink = async (table: Table, link: SignInLink): Promise<void> => {
  await table.write({ put: { ...linkRows.write(link), ttl: ttlAfter(link.expiresAt) } });
};

/** Reads a link by the hash of its token, strongly consistent. */
export const readLink = async (table: Table, hash: string): Promise<SignInLink | undefined> => {
  const row = await table.get(KEYS.signInLink(hash));
  return row && linkRows.read(row);
};

import * as z from 'zod';
import type { BrowserSession } from '../../domain/access/session-cookie.ts';
import type { NewSession, Session, SessionStore } from '../../domain/access/sessions.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, jsonText, tenant, time, ttlAfter } from '../client/attributes.ts';
import { ABSENT, oneOf } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { newestPage } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { stillActive } from './accounts.ts';
import { newCredentialWrite } from './credential-writes.ts';

const browser = z.object({
  epoch: z.int(),
  secretHash: z.string().length(64),
  salt: z.string(),
  generation: z.int(),
  replacedAt: z.number(),
  latestEndsAt: z.number(),
  older: z.array(z.object({ hash: z.string().length(64), expiresAt: z.number() })),
});

const sessionRows = defineRow<Session>()({
  attributes: {
    id: id('session'),
    ...tenant,
    accountId: id('account'),
    hash: z.string().length(64),
    createdAt: time,
    expiresAt: time,
    browser: jsonText((json): BrowserSession => browser.parse(json)).exactOptional(),
  },
  key: (session) => KEYS.session(session.id),
  index: (session) => INDEX_KEYS.sessionsOf(session.accountId, isoTime(session.createdAt), session.id),
});
const MAX_LISTED = 200;

/** The writes of a new session: its record, first, and the credential of its secret. */
export const newSessionWrites = ({ session, credential }: NewSession): WriteOp[] => [
  { put: sessionRow(session), when: ABSENT },
  newCredentialWrite(session.hash, credential),
];

const sessionRow = (session: Session) => ({ ...sessionRows.write(session), ttl: ttlAfter(session.expiresAt) });
/** The hashes of a session's valid secrets. */
const hashesOf = ({ hash, browser }: Session): string[] => [hash, ...(browser?.older ?? []).map((each) => each.hash)];
/** Condition: the session was neither renewed nor ended since it was read; each renewal changes its hash. */
const unchanged = ({ hash }: Session) => oneOf('hash', [hash]);

/** Whether a cancelled transaction, whose first write was the session's, repeats one that had opened it. */
export const isOpened = (reasons: readonly CancelReason[], { session }: NewSession): boolean =>
  reasons[0]?.row?.hash === session.hash;

/** Sessions in the table of one stage. */
export const sessionStore = (table: Table): SessionStore => ({
  async open(session, account, entry) {
    const outcome = await table.transact([...newSessionWrites(session), stillActive(account), ...auditWrites(entry)]);
    return outcome.ok || isOpened(outcome.reasons, session);
  },
  async read(sessionId) {
    const row = await table.get(KEYS.session(sessionId));
    return row && sessionRows.read(row);
  },
  async list(accountId, now) {
    const partition = INDEX_KEYS.sessionsOf(accountId, '', '').gsi1pk;
    const rows = await newestPage(table, { index: 'gsi1', partition }, { skip: 0, limit: MAX_LISTED });
    return rows.map(sessionRows.read).filter(({ expiresAt }) => expiresAt > now);
  },
  async renew(before, renewed, account) {
    const kept = new Set(hashesOf(renewed.session));
    const dropped = hashesOf(before).filter((hash) => !kept.has(hash));
    const outcome = await table.transact([
      { put: sessionRow(renewed.session), when: unchanged(before) },
      newCredentialWrite(renewed.session.hash, renewed.credential),
      ...dropped.map((hash) => ({ delete: KEYS.credential(hash) })),
      stillActive(account),
    ]);
    return outcome.ok || isOpened(outcome.reasons, renewed);
  },
  async end(session, entry) {
    const outcome = await table.transact([
      { delete: KEYS.session(session.id), when: unchanged(session) },
      ...hashesOf(session).map((hash) => ({ delete: KEYS.credential(hash) })),
      ...auditWrites(entry),
    ]);
    return outcome.ok;
  },
});

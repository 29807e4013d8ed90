import * as z from 'zod';
import {
  AUDIT_ACTIONS,
  AUDIT_ACTOR_KINDS,
  type AuditEntry,
  type AuditOwner,
  auditDetails,
  STAGE_LOG,
} from '../../domain/audit/entry.ts';
import { AUDIT_KEPT_MS, type AuditFilter, type NamedEntry } from '../../domain/audit/views.ts';
import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import { asId } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { type CursorRequest, cursorItems, type ListRange } from '../client/cursor-pages.ts';
import type { WriteOp } from '../client/expressions.ts';
import { between, isEmpty } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { newestKey } from '../key-parts.ts';

type Match = Pick<AuditFilter, 'action' | 'actor' | 'object'>;
/** The text of a combination of actor, action and object: its entries share a partition. */
const matchText = ({ actor, action, object }: Match): string =>
  JSON.stringify([actor ?? null, action ?? null, object ?? null]);

/** Entries, one row per matching filter. */
const auditRows = defineRow<AuditEntry>()({
  attributes: {
    id: id('auditEntry'),
    owner: z.union([id('organization'), z.literal(STAGE_LOG)]),
    at: time,
    actor: z.object({
      kind: z.enum(AUDIT_ACTOR_KINDS),
      id: z.union([id('account'), id('apiKey'), z.literal('operator')]),
    }),
    action: z.enum(AUDIT_ACTIONS),
    object: z.string(),
    ip: z.string().optional(),
    requestId: z.string().optional(),
    details: auditDetails,
  },
  rename: { owner: 'org' },
  key: ({ owner, at, id }: AuditEntry, match: Match) => KEYS.audit(owner, matchText(match), newestKey(isoTime(at), id)),
});

/** Every filter that matches an entry, ignoring times. */
const matchesOf = ({ actor: { id: actor }, action, object }: AuditEntry): Match[] => [
  {},
  { actor },
  { action },
  { object },
  { actor, action },
  { actor, object },
  { action, object },
  { actor, action, object },
];

/**
 * The writes of an entry, for the transaction of its action: eight rows, so that every filter is a range of keys. They have no condition
 * and come last, so that the indexes of a cancelled transaction's reasons are unaffected. Empty without an entry.
 */
export const auditWrites = (entry: AuditEntry | undefined): WriteOp[] => {
  if (entry === undefined) return [];
  const ttl = Math.ceil((entry.at + AUDIT_KEPT_MS) / 1000);
  return matchesOf(entry).map((match) => ({ put: { ...auditRows.write(entry, match), ttl } }));
};

/** The rows of a filter that have not expired at `now` (ms); undefined if there can be none. */
const rangeOf = (owner: AuditOwner, { from = 0, to, ...match }: AuditFilter, now: number): ListRange | undefined => {
  const window = { from: Math.max(from, now - AUDIT_KEPT_MS), to };
  if (isEmpty(window)) return undefined;
  const partition = KEYS.audit(owner, matchText(match), '').pk;
  return { partition, sort: between(window), consistent: true, newestFirst: true };
};

/**
 * A page of the log for a filter, newest first, without entries expired at `now` (ms). One query per page, whatever the filter and the
 * length of the log, and one read of the actors' names. 400 for a cursor of another list.
 */
export const listAudit = async (
  table: Table,
  owner: AuditOwner,
  filter: AuditFilter,
  request: CursorRequest & { readonly now: number },
): Promise<CursorItems<NamedEntry> | Refusal<'BAD_REQUEST'>> => {
  const range = rangeOf(owner, filter, request.now);
  if (range === undefined) return { items: [] };
  return cursorItems(table, range, request, (rows) => withNames(table, rows.map(auditRows.read)));
};

/** The newest entries that a filter selects, at most `limit`, at `now` (ms). For the operator. */
export const newestAudit = async (
  table: Table,
  owner: AuditOwner,
  filter: AuditFilter,
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<readonly NamedEntry[]> => {
  const range = rangeOf(owner, filter, now);
  const page = range && (await table.query({ ...range, limit }));
  return withNames(table, page?.rows.map(auditRows.read) ?? []);
};

const nameKey = (actorId: string) => {
  const account = asId('account', actorId);
  const key = asId('apiKey', actorId);
  return account ? KEYS.account(account) : key && KEYS.apiKey(key);
};
const named = z.object({ name: z.string() });

/** Entries contain no names: these are read from the actors, so that they disappear with them. One read per page. */
const withNames = async (table: Table, entries: readonly AuditEntry[]): Promise<NamedEntry[]> => {
  const actors = [...new Set(entries.map(({ actor }) => actor.id))].flatMap((actorId) => {
    const key = nameKey(actorId);
    return key ? [{ actorId, key }] : [];
  });
  const rows = actors.length > 0 ? await table.getMany(actors.map(({ key }) => key)) : [];
  const names = new Map(actors.map(({ actorId }, at) => [actorId, named.safeParse(rows[at]).data?.name]));
  return entries.map((entry) => ({ ...entry, actorName: names.get(entry.actor.id) }));
};

import * as z from 'zod';
import {
  NAME_STATUSES,
  NUMBER_STATUSES,
  type NumberOutcome,
  type NumberStore,
  QUALITY_RATINGS,
  REMOVAL_REASONS,
  THROUGHPUTS,
  TIERS,
  type WhatsappNumber,
} from '../../domain/channels/whatsapp/numbers/number.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT, equal } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import { fullRows, newestPageOf } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import type { Sealer } from '../messages/queued.ts';
import { readOwnRow } from '../read-row.ts';

/** Numbers per organization. */
const MAX_NUMBERS = 1_000;

const text = z.string().optional();
const heard = z.object({ at: z.int(), event: z.string() }).exactOptional();
export const numberRows = defineRow<WhatsappNumber>()({
  attributes: {
    id: id('number'),
    organizationId: id('organization'),
    phoneNumberId: z.string(),
    wabaId: z.string(),
    displayPhone: z.string(),
    status: z.enum(NUMBER_STATUSES),
    qualityRating: z.enum(QUALITY_RATINGS),
    messagingTier: z.enum(TIERS),
    throughput: z.enum(THROUGHPUTS),
    ownLimit: z.object({ perSecond: z.int().exactOptional(), perDay: z.int().exactOptional() }).optional(),
    verifiedName: text,
    byo: z.boolean().optional(),
    nameStatus: z.enum(NAME_STATUSES).optional(),
    partnerRemovedAt: time.optional(),
    partnerRemovedReason: z.enum(REMOVAL_REASONS).optional(),
    profile: z
      .object({ about: text, address: text, email: text, website: text, vertical: text, profilePictureUrl: text })
      .optional(),
    lastPlatformSyncAt: time.optional(),
    heard: z.object({ account: heard, name: heard, partner: heard, quality: heard, throughput: heard, tier: heard }),
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  key: (number) => KEYS.number(number.id),
  index: ({ id, organizationId, wabaId, createdAt }) => ({
    ...INDEX_KEYS.numbersOf(organizationId, isoTime(createdAt), id),
    ...INDEX_KEYS.numbersOfAccount(wabaId, isoTime(createdAt), id),
  }),
});

/** The result of a creation, by the position of the failed write in `also`. */
const createOutcome = (organizationId: Id<'organization'>, outcome: CommitOutcome): NumberOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.at > 0) return { kind: 'limit_reached' };
  const owner = z.object({ org: z.string(), numberId: id('number') }).safeParse(outcome.row).data;
  return { kind: 'taken', ...(owner?.org === organizationId ? { numberId: owner.numberId } : {}) };
};

const changeOutcome = (outcome: CommitOutcome): NumberOutcome =>
  outcome.kind === 'saved' ? outcome : { kind: 'conflict' };

/** The numbers of a business account, of any organization. */
const accountRows = (table: Table, wabaId: string, organizationId?: Id<'organization'>): Promise<Row[]> =>
  table.queryAll({
    index: 'gsi2',
    partition: INDEX_KEYS.numbersOfAccount(wabaId, '', '').gsi2pk,
    only: ['pk', 'sk', 'org'],
    filter: equal({ org: organizationId }),
  });

/** The organizations that have a number of a business account at Meta. */
export const organizationsOfAccount = async (table: Table, wabaId: string): Promise<readonly Id<'organization'>[]> => [
  ...new Set((await accountRows(table, wabaId)).map(({ org }) => id('organization').parse(org))),
];

/** The number with Meta's phone number id, of any organization; undefined when the stage has none. */
export const numberOfPhoneId = async (table: Table, phoneNumberId: string): Promise<WhatsappNumber | undefined> => {
  const owner = await table.get(KEYS.phoneNumberId(phoneNumberId));
  const row = owner && (await table.get(KEYS.number(id('number').parse(owner.numberId))));
  return row && numberRows.read(row);
};

/**
 * WhatsApp numbers in the table of one stage; access tokens are sealed by the stage's vault, in rows of their own. `raised` receives
 * committed events, to publish them early.
 */
export const numberStore = (table: Table, sealer: Sealer, raised: (event: DomainEvent) => void): NumberStore => {
  const tokenWrite = async ({ id, organizationId: org }: WhatsappNumber, accessToken: string): Promise<WriteOp> => ({
    put: { ...KEYS.numberToken(id), org, sealed: await sealer.seal(org, id, accessToken) },
  });
  return {
    async create(number, accessToken, entry) {
      const { id: numberId, organizationId: org } = number;
      const own = { put: { ...KEYS.phoneNumberId(number.phoneNumberId), org, numberId }, when: ABSENT };
      const token = await tokenWrite(number, accessToken);
      const limit = { organizationId: org, counted: 'numbers', max: MAX_NUMBERS } as const;
      const save = async (count: WriteOp) => {
        const also = [own, count, token, ...auditWrites(entry)];
        return createOutcome(org, await commit(table, { row: numberRows.write(number), also }));
      };
      return createWithin(table, limit, numberId, save, ({ kind }) => kind === 'limit_reached');
    },
    async change(before, after, { events = [], accessToken, entry } = {}) {
      const token = accessToken === undefined ? [] : [await tokenWrite(after, accessToken)];
      const also = [...events.map(eventWrite), ...token, ...auditWrites(entry)];
      const outcome = changeOutcome(await commit(table, { row: numberRows.write(after), over: before.version, also }));
      if (outcome.kind === 'saved') for (const event of events) raised(event);
      return outcome;
    },
    async remove({ id, organizationId, phoneNumberId, version }, entry) {
      const outcome = await table.transact([
        { delete: KEYS.number(id), when: atVersion(version) },
        { delete: KEYS.numberToken(id) },
        { delete: KEYS.phoneNumberId(phoneNumberId), when: { text: '#numberId = :id', values: { id } } },
        countDown(organizationId, 'numbers', id),
        ...auditWrites(entry),
      ]);
      return outcome.ok;
    },
    read: (organizationId, id) => readOwnRow(table, organizationId, KEYS.number(id), numberRows.read),
    accessToken: ({ id, organizationId }) =>
      readOwnRow(table, organizationId, KEYS.numberToken(id), ({ sealed }) =>
        sealer.open(organizationId, id, z.string().parse(sealed)),
      ),
    async ofAccount(organizationId, wabaId) {
      const keys = await accountRows(table, wabaId, organizationId);
      return (await fullRows(table, keys)).map(numberRows.read);
    },
    page(organizationId, { status, qualityRating }, page) {
      const partition = INDEX_KEYS.numbersOf(organizationId, '', '').gsi1pk;
      const range = { index: 'gsi1', partition, filter: equal({ status, qualityRating }) } as const;
      return newestPageOf(table, range, page, numberRows.read);
    },
  };
};

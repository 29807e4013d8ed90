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
} from '../domain/numbers/number.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import { eventWrite } from './outbox.ts';
import { fullRows } from './pages.ts';
import type { Sealer } from './queued.ts';
import type { QueryRange, Row, Table } from './table.ts';
import { atVersion, type CommitOutcome, commit, listPage } from './versioned.ts';

/** Numbers that one organization may have. */
const MOST = 1_000;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const text = z.string().optional();
const heard = z.object({ at: z.int(), event: z.string() }).optional();
const numberRow = z.object({
  id: z.string(),
  org: z.string(),
  phoneNumberId: z.string(),
  wabaId: z.string(),
  displayPhone: z.string(),
  status: z.enum(NUMBER_STATUSES),
  qualityRating: z.enum(QUALITY_RATINGS),
  messagingTier: z.enum(TIERS),
  throughput: z.enum(THROUGHPUTS),
  ownLimit: z.object({ perSecond: z.int().optional(), perDay: z.int().optional() }).optional(),
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
});

/** Reads a number's row; every field is checked. */
const parse = (row: Row): WhatsappNumber => {
  const { org, ...fields } = numberRow.parse(row);
  return { ...fields, organizationId: org } as unknown as WhatsappNumber;
};

const optionalTime = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));
const rowOf = ({ organizationId: org, ...number }: WhatsappNumber) => {
  const createdAt = isoTime(number.createdAt);
  return {
    ...number,
    ...KEYS.number(number.id),
    ...FINDS.numbersOf(org, createdAt, number.id),
    ...FINDS.numbersOfAccount(number.wabaId, createdAt, number.id),
    org,
    createdAt,
    updatedAt: isoTime(number.updatedAt),
    partnerRemovedAt: optionalTime(number.partnerRemovedAt),
    lastPlatformSyncAt: optionalTime(number.lastPlatformSyncAt),
  };
};

const counted = (organizationId: string, by: 1 | -1): WriteOp => ({
  update: KEYS.organization(organizationId),
  add: { numbers: by },
  when:
    by < 0
      ? { text: 'attribute_exists(#pk)' }
      : {
          text: 'attribute_exists(#pk) AND (attribute_not_exists(#numbers) OR #numbers < :most)',
          values: { most: MOST },
        },
});

/** What `also` of a creation holds, in its order. */
const createOutcome = (organizationId: string, outcome: CommitOutcome): NumberOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.at > 0) return { kind: 'full' };
  const owner = z.object({ org: z.string(), numberId: z.string() }).safeParse(outcome.row).data;
  return { kind: 'taken', ...(owner?.org === organizationId ? { numberId: owner.numberId } : {}) };
};

const changeOutcome = (outcome: CommitOutcome): NumberOutcome =>
  outcome.kind === 'saved' ? outcome : { kind: 'moved' };

/** The rows that lie on a business account, of any organization. */
const accountRows = async (table: Table, wabaId: string, organizationId?: string): Promise<Row[]> => {
  const rows: Row[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({
      index: 'gsi2',
      partition: FINDS.numbersOfAccount(wabaId, '', '').gsi2pk,
      only: ['pk', 'sk', 'org'],
      ...(organizationId === undefined ? {} : { filter: { text: '#org = :org', values: { org: organizationId } } }),
      startKey,
    });
    rows.push(...page.rows);
    startKey = page.nextKey;
  } while (startKey);
  return rows;
};

/** The organizations that have a number of a business account of the platform. */
export const organizationsOfAccount = async (table: Table, wabaId: string): Promise<readonly string[]> => [
  ...new Set((await accountRows(table, wabaId)).map(({ org }) => z.string().parse(org))),
];

/** The number that the platform calls so, whoever's it is; undefined when the stage does not know it. */
export const numberOfPhoneId = async (table: Table, phoneNumberId: string): Promise<WhatsappNumber | undefined> => {
  const owner = await table.get(KEYS.phoneNumberId(phoneNumberId));
  const row = owner && (await table.get(KEYS.number(z.string().parse(owner.numberId))));
  return row && parse(row);
};

/**
 * WhatsApp numbers in the table of one stage; access tokens sealed by the stage's vault, apart from the rows that lists read. `raised` is
 * told the ids of committed events, to hand them on early.
 */
export const numberStore = (table: Table, sealer: Sealer, raised: (eventId: string) => void): NumberStore => {
  const tokenWrite = async ({ id, organizationId: org }: WhatsappNumber, accessToken: string): Promise<WriteOp> => ({
    put: { ...KEYS.numberToken(id), org, sealed: await sealer.seal(org, id, accessToken) },
  });
  return {
    async create(number, accessToken) {
      const { id: numberId, organizationId: org } = number;
      const outcome = await commit(table, {
        row: rowOf(number),
        also: [
          {
            put: { ...KEYS.phoneNumberId(number.phoneNumberId), org, numberId },
            when: { text: 'attribute_not_exists(#pk)' },
          },
          counted(org, 1),
          await tokenWrite(number, accessToken),
        ],
      });
      return createOutcome(org, outcome);
    },
    async change(before, after, { events = [], accessToken } = {}) {
      const token = accessToken === undefined ? [] : [await tokenWrite(after, accessToken)];
      const also = [...events.map(eventWrite), ...token];
      const outcome = changeOutcome(await commit(table, { row: rowOf(after), over: before.version, also }));
      if (outcome.kind === 'saved') for (const { id } of events) raised(id);
      return outcome;
    },
    async remove({ id, organizationId, phoneNumberId, version }) {
      const outcome = await table.transact([
        { delete: KEYS.number(id), when: atVersion(version) },
        { delete: KEYS.numberToken(id) },
        { delete: KEYS.phoneNumberId(phoneNumberId), when: { text: '#numberId = :id', values: { id } } },
        counted(organizationId, -1),
      ]);
      return outcome.ok;
    },
    async read(organizationId, id) {
      const row = await table.get(KEYS.number(id));
      return row && row.org === organizationId ? parse(row) : undefined;
    },
    async accessToken({ id, organizationId }) {
      const row = await table.get(KEYS.numberToken(id));
      return row && row.org === organizationId
        ? sealer.open(organizationId, id, z.string().parse(row.sealed))
        : undefined;
    },
    async ofAccount(organizationId, wabaId) {
      const keys = await accountRows(table, wabaId, organizationId);
      return (
        await fullRows(
          table,
          keys.map(({ pk, sk }) => ({ pk, sk })),
        )
      ).map(parse);
    },
    async page(organizationId, { status, qualityRating }, page) {
      const partition = FINDS.numbersOf(organizationId, '', '').gsi1pk;
      const { rows, total } = await listPage(table, partition, { is: { status, qualityRating } }, page);
      return { items: rows.map(parse), total };
    },
  };
};

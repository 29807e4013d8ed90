import type { Card, CardChange, CardOutcome } from '../../domain/cards/card.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { CancelReason } from '../client/table.ts';
import { type CompanyLink, cardCounts, companyCountWrites } from '../crm/company-counts.ts';
import { linkWrite } from '../crm/links.ts';
import { tombstoneWrite } from '../crm/tombstones.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { entryWrite } from './card-history.ts';
import { cardRows, stageRows } from './card-rows.ts';
import { pipelineCountWrites } from './pipeline-counts.ts';

/** A write of a transaction of changes, and the meaning of its condition. */
export type CardWrite = { readonly write: WriteOp } & (
  | { readonly part: 'card'; readonly at: number }
  | { readonly part: 'contact'; readonly contactId: Id<'contact'> }
  | { readonly part: 'company'; readonly companyId: Id<'company'>; readonly joins: boolean }
  | { readonly part: 'counts' | 'rest' }
);
const rest = (write: WriteOp): CardWrite => ({ part: 'rest', write });

/** Condition: the card is unchanged since it was read, and the organization's. */
const unchanged = ({ organizationId: org, version }: Card) => ({
  text: '#org = :org AND #version = :version',
  values: { org, version },
});

const rowWrite = ({ before, after }: CardChange, mark: string): WriteOp => {
  if (after) return { put: { ...cardRows.write(after), mark }, when: before ? unchanged(before) : ABSENT };
  if (!before) throw new TypeError('a change of no card');
  return { delete: KEYS.card(before.id), when: unchanged(before) };
};

/** The copy in the stage moves with the card. */
const copyWrites = ({ before, after }: CardChange): WriteOp[] => {
  const copy = after && stageRows.write(after);
  const old = before && KEYS.cardInStage(before.stageId, before.order, before.id);
  const isLeft = old && (copy?.pk !== old.pk || copy.sk !== old.sk);
  return [...(isLeft ? [{ delete: old }] : []), ...(copy ? [{ put: copy }] : [])];
};

const deletionWrites = ({ before, after, deletedAt = 0 }: CardChange): WriteOp[] =>
  before && !after ? [tombstoneWrite({ organizationId: before.organizationId, id: before.id, at: deletedAt })] : [];

const companyLink = (card: Card | undefined): CompanyLink | undefined =>
  card && {
    organizationId: card.organizationId,
    companyId: card.companyId,
    objectId: card.id,
    counts: cardCounts(card.status, card.cents ?? 0),
  };

/** One write per contact that cards newly link to. */
const contactWrites = (changes: readonly CardChange[]): CardWrite[] => {
  const named = changes.flatMap(({ before, after }) =>
    after?.contactId !== undefined && after.contactId !== before?.contactId
      ? [[after.contactId, after.organizationId] as const]
      : [],
  );
  return [...new Map(named)].map(([contactId, organizationId]) => ({
    part: 'contact',
    contactId,
    write: linkWrite(organizationId, contactId),
  }));
};

/**
 * The writes of changes of different cards in one transaction: for each card its row, its copy in the stage, and its history; and one for
 * each changed counter row. `gone`: companies that were found deleted, which are skipped.
 */
export const cardWrites = (
  changes: readonly CardChange[],
  events: readonly DomainEvent[],
  mark: string,
  gone: ReadonlySet<Id<'company'>>,
): CardWrite[] => {
  const links = changes.map(({ before, after }) => ({ before: companyLink(before), after: companyLink(after) }));
  return [
    ...changes.map((change, at): CardWrite => ({ part: 'card', at, write: rowWrite(change, mark) })),
    ...pipelineCountWrites(changes).map((write): CardWrite => ({ part: 'counts', write })),
    ...companyCountWrites(links, gone).map((each): CardWrite => ({ part: 'company', ...each })),
    ...contactWrites(changes),
    ...changes.flatMap((change) => [...copyWrites(change), ...deletionWrites(change)]).map(rest),
    ...changes.flatMap(({ entry }) => (entry ? [rest(entryWrite(entry))] : [])),
    ...events.map((event) => rest(eventWrite(event))),
  ];
};

/** Why a transaction of changes was cancelled. */
export interface Verdict {
  /** Own rows existed already: an earlier attempt was committed, and its response lost. */
  readonly isDone: boolean;
  /** The changes that can't be stored; the others may be retried without them. */
  readonly faults: ReadonlyMap<number, CardOutcome>;
  /** Previously linked companies that are gone. */
  readonly gone: readonly Id<'company'>[];
}

const faultOf = (write: CardWrite, { after }: CardChange): CardOutcome | undefined => {
  if (write.part === 'counts') return { kind: 'conflict' };
  if (write.part === 'contact' && after?.contactId === write.contactId) return { kind: 'unknown', field: 'contatoId' };
  const isJoined = write.part === 'company' && write.joins && after?.companyId === write.companyId;
  return isJoined ? { kind: 'unknown', field: 'empresaId' } : undefined;
};

/** The meaning of a cancelled transaction's reasons for its changes. */
export const verdictOf = (
  changes: readonly CardChange[],
  writes: readonly CardWrite[],
  reasons: readonly CancelReason[],
  mark: string,
): Verdict => {
  const faults = new Map<number, CardOutcome>();
  const gone: Id<'company'>[] = [];
  let isDone = false;
  for (const [place, write] of writes.entries()) {
    const reason = reasons[place];
    if (!reason?.conditionFailed) continue;
    if (write.part === 'card') {
      isDone ||= reason.row?.mark === mark;
      faults.set(write.at, { kind: 'conflict' });
      continue;
    }
    if (write.part === 'company' && !write.joins) gone.push(write.companyId);
    for (const [at, change] of changes.entries()) {
      const fault = faultOf(write, change);
      if (fault && !faults.has(at)) faults.set(at, fault);
    }
  }
  return { isDone, faults, gone };
};

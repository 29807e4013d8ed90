import type { Actor } from '../../domain/core/actor.ts';
import { refuseField } from '../../domain/core/refuse-field.ts';
import { isoTime } from '../../domain/core/time.ts';
import { GRACE_MS } from '../../queues/dispatch-shard.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { MAX_COUNTED, stuckWork, WORK_KINDS } from '../../storage/due-work/overdue-work.ts';
import { isRowOf } from '../../storage/due-work/rows-of-kind.ts';
import { listSetAside, putBack, type SetAside } from '../../storage/due-work/set-aside.ts';
import { clock, table } from '../process/aws.ts';
import { recordAct, recordView } from './acts.ts';

/** Work due for this long is overdue: the dispatcher leaves more recent work to its queue. */
const OVERDUE_MS = 2 * GRACE_MS;
/** Rows of a kind that one call makes due again, at most. */
const MAX_RETRIED = 200;

/** Work that is overdue or was set aside, by its kind. */
export const listStuckWork = async (actor: Actor) => {
  await recordView(actor, 'work');
  const found = await stuckWork(table, clock(), OVERDUE_MS);
  const items = found.map(({ kind, queue, shards, setAside }) => ({
    kind,
    queue,
    overdue: shards.reduce((sum, { overdue }) => sum + overdue, 0),
    more: shards.some(({ overdue }) => overdue >= MAX_COUNTED),
    oldestDueSeconds: shards.length === 0 ? null : Math.max(...shards.map((each) => each.oldestDueSeconds)),
    setAside,
    shards: [...shards],
  }));
  return { items };
};

const asideOf = (kinds: readonly WorkItem['kind'][], limit: number): Promise<SetAside[]> =>
  Promise.all(kinds.map((kind) => listSetAside(table, kind, limit))).then((found) => found.flat());

/** Work that failed for hours: of a kind, or of each. */
export const listSetAsideWork = async (actor: Actor, kind: WorkItem['kind'] | undefined, limit: number) => {
  await recordView(actor, 'work');
  const items = await asideOf(kind ? [kind] : WORK_KINDS, limit);
  return { items: items.map(({ kind: of, pk, sk, at }) => ({ kind: of, pk, sk, setAsideAt: isoTime(at) })) };
};

/** Which work to make due again: that of one row, or the oldest of the kind. */
interface Retry {
  readonly kind: WorkItem['kind'];
  readonly row?: Pick<WorkItem, 'pk' | 'sk'> | undefined;
}

/** Makes work that was set aside due again; 422 for a row that no work of the kind has. */
export const retryWork = async (actor: Actor, { kind, row }: Retry) => {
  if (row && !isRowOf({ kind, ...row }))
    return refuseField('There is no such work.', 'row.pk', 'must be of a row that work of this kind is about');
  const aside: readonly WorkItem[] = row ? [{ kind, ...row }] : await asideOf([kind], MAX_RETRIED);
  await recordAct(actor, { action: 'work.retried', object: kind, details: { count: aside.length } });
  let retried = 0;
  for (const item of aside) if (await putBack(table, item, clock())) retried += 1;
  return { kind, retried };
};

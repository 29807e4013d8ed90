import * as z from 'zod';
import { QUEUE_OF_KIND, type WorkItem } from '../../../shared/queues/queues.ts';
import { findSetAside, listSetAside, putBack, type SetAside } from '../../../shared/storage/due-work/set-aside.ts';
import { defineCommand } from '../command.ts';
import { env, wholeNumber } from '../options.ts';

const KINDS = Object.keys(QUEUE_OF_KIND) as WorkItem['kind'][];
const kind = z
  .enum(KINDS, `must be ${KINDS.join(' or ')}`)
  .optional()
  .meta({ description: 'the kind of work, such as send_message; every kind when absent' });
const max = wholeNumber(1, 'maximum number of each kind (default 100)').pipe(z.int().max(1_000)).default(100);

const setAside = async (read: (kind: WorkItem['kind']) => Promise<SetAside[]>, only: WorkItem['kind'] | undefined) =>
  (await Promise.all(KINDS.filter((each) => !only || each === only).map(read))).flat();

const workList = defineCommand({
  name: 'work list',
  summary: 'Show the work that failed for hours and was set aside',
  options: z.object({ env, kind, max }),
  run: async (target, { env: chosen, kind: only, max: limit }) => {
    const items = await setAside((each) => listSetAside(target.tables[chosen], each, limit), only);
    return { data: { items: items.map(({ at, ...item }) => ({ ...item, setAsideAt: new Date(at).toISOString() })) } };
  },
});

const workRetry = defineCommand({
  name: 'work retry',
  summary: 'Make the work that was set aside due again; work that was done meanwhile is not repeated',
  options: z.object({
    env,
    kind,
    pk: z
      .string()
      .optional()
      .meta({ description: 'the partition key of one row, as `work list` shows it, whatever --max is' }),
    max,
  }),
  run: async (target, { env: chosen, kind: only, pk, max: limit }) => {
    const table = target.tables[chosen];
    const read = (each: WorkItem['kind']) =>
      pk === undefined ? listSetAside(table, each, limit) : findSetAside(table, each, pk);
    let retried = 0;
    for (const item of await setAside(read, only)) if (await putBack(table, item, Date.now())) retried += 1;
    return { data: { env: chosen, retried } };
  },
});

/** Work that was set aside. */
export const WORK_COMMANDS = [workList, workRetry];

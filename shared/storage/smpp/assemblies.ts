import * as z from 'zod';
import { definedFields } from '../../domain/core/patch.ts';
import type { AnyAssembly, AnyHead, AnyPart, AssemblyStore, CurrentAssembly } from '../../domain/smpp/assemblies.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { time, ttlAfter } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import type { RowCodec } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { partName } from './parts-of-message.ts';

const PART = /^part\d+$/;

/** Reads an assembly's row, with parsers for its head and its parts. Throws a ZodError. */
export const readParts = <Head, P extends AnyPart>(
  row: Row,
  head: Pick<RowCodec<Head>, 'read'>,
  part: z.ZodType<P>,
) => ({
  ...head.read(row),
  parts: Object.entries(row)
    .flatMap(([name, value]) => (PART.test(name) ? [part.parse(value)] : []))
    .sort((one, other) => one.number - other.number),
});

/** How the assemblies of one direction are stored. */
interface AssemblyRows<Owner extends string, P extends AnyPart, A extends AnyAssembly<string, P>> {
  /** An assembly without its parts, each of which is a separate attribute, so that one can be added without the others. */
  readonly head: RowCodec<Omit<A, 'parts'>>;
  readonly read: (row: Row) => A;
  readonly id: z.ZodType<A['id']>;
  readonly key: (id: A['id']) => Key;
  readonly referenceKey: (owner: Owner, reference: string) => Key;
  /** The kind of work item that processes them. */
  readonly work: WorkItem['kind'];
  /** The maximum total characters of the parts. */
  readonly room: number;
  /** How long after its first part the assembly of a reference is open for further parts (ms). */
  readonly knownMs: number;
  /** Until when an assembly is kept (ms); `first`: its part with the lowest number. */
  readonly keptUntil: (assembly: Omit<A, 'parts'>, first: P | undefined) => number;
  /** Additional writes of a change, in the same transaction. */
  readonly changeWrites?: (after: A) => readonly WriteOp[];
}

/**
 * Messages in parts, in the table of a stage. Processes that add parts of one message concurrently add each once: the row rejects a part
 * whose number exists, one beyond the maximum, and any part once it has a state.
 */
export const assemblyStore = <
  Owner extends string,
  H extends AnyHead<string>,
  P extends AnyPart,
  A extends AnyAssembly<H['id'], P> & H,
>(
  table: Table,
  rows: AssemblyRows<Owner, P, A>,
): AssemblyStore<Owner, H, P, A> => {
  const { head: codec, work, room, knownMs, keptUntil, changeWrites = () => [] } = rows;
  const current = z.object({ id: rows.id, startedAt: time });
  const readCurrent = (row: Row): CurrentAssembly<H['id']> => current.parse(row);
  /** The attributes of an assembly that are independent of its parts. */
  const common = (assembly: Omit<A, 'parts'>, first: P | undefined): Row => ({
    ...(definedFields(codec.write(assembly)) as Row),
    ...(assembly.dueAt === undefined ? {} : INDEX_KEYS.due(work, assembly.id, assembly.dueAt)),
    ttl: ttlAfter(keptUntil(assembly, first)),
  });
  return {
    current: (owner, reference) => readRow(table, rows.referenceKey(owner, reference), readCurrent),
    async begin(owner, reference, before, next) {
      const row = {
        ...rows.referenceKey(owner, reference),
        ...z.encode(current, next),
        ttl: ttlAfter(next.startedAt + knownMs),
      };
      const when = before === undefined ? ABSENT : { text: '#id = :before', values: { before } };
      const { ok, row: other } = await table.write({ put: row, when });
      // The row expired meanwhile.
      if (!ok && !other) return this.begin(owner, reference, undefined, next);
      return ok || !other ? next : readCurrent(other);
    },
    async add(head, part) {
      const first = { ...head, characters: 0, version: 0 } as unknown as Omit<A, 'parts'>;
      const { pk, sk, characters: _, version: __, ...set } = common(first, part);
      const name = partName(part.number);
      const { ok, row } = await table.write({
        update: { pk, sk },
        setOnce: set,
        set: { [name]: part },
        add: { characters: part.characters, version: 1 },
        when: {
          text: `attribute_not_exists(#state) AND attribute_not_exists(#${name}) AND (attribute_not_exists(#characters) OR #characters <= :room)`,
          values: { room: room - part.characters },
        },
      });
      if (!row) throw new Error('an update answers with the row that it changed or met');
      return { added: ok, assembly: rows.read(row) };
    },
    read: (id) => readRow(table, rows.key(id), rows.read),
    async change(before, after) {
      const { parts, ...next } = { ...after, version: before.version + 1 };
      const attributes = Object.fromEntries(parts.map((part) => [partName(part.number), part]));
      const put = { ...common(next as unknown as Omit<A, 'parts'>, before.parts[0]), ...attributes };
      const write: WriteOp = { put, when: { text: '#version = :version', values: { version: before.version } } };
      const more = changeWrites(after);
      const { ok } = more.length > 0 ? await table.transact([write, ...more]) : await table.write(write);
      return ok;
    },
  };
};

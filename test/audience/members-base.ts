import { createHash } from 'node:crypto';
import type fc from 'fast-check';
import { expect } from 'vitest';
import { BLOCK_SIZE, numberAt } from '../../shared/domain/audience/block.ts';
import { digestOf } from '../../shared/domain/audience/digest.ts';
import { type FilterTree, matches } from '../../shared/domain/audience/filters.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { Transition } from '../../shared/domain/segments/membership.ts';
import type { Segment, WireFilter, WireTree } from '../../shared/domain/segments/segment.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readMembers } from '../../shared/storage/audience/member-rows.ts';
import type { MergePorts } from '../../shared/storage/audience/merge.ts';
import { sweepSegment } from '../../shared/storage/audience/sweep-segment.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { changedWrite } from '../../shared/storage/contacts/changed-contacts.ts';
import { takeContactNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { recordInteraction } from '../../shared/storage/contacts/interactions.ts';
import { changesDue } from '../../shared/storage/contacts/standing.ts';
import { isSegmentSweep, PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { segmentStore } from '../../shared/storage/segments/segments.ts';
import { Crash } from '../support/crashing-table.ts';
import { overdue } from '../support/index-entries.ts';
import type { World } from '../support/world.ts';
import { memberPorts, workOnBlocks, workOnMarks, writeContact } from './member-changes.ts';
import { digest, NOW } from './random.ts';

export type Facts = Pick<Contact, 'tags' | 'attributes' | 'source' | 'email' | 'lastInteractionAt' | 'optIn'>;
export const facts: fc.Arbitrary<Facts> = digest.map(
  ({ optIn, hasEmail, tags, attributes, source, lastInteractionAt }) => ({
    tags,
    attributes,
    source,
    lastInteractionAt,
    optIn: { status: optIn },
    email: hasEmail ? 'ana@example.com' : undefined,
  }),
);

const wireFilter = (filter: Extract<FilterTree, { kind: 'leaf' }>['filter']): WireFilter => {
  const isMoment = filter.operator === 'before' || filter.operator === 'after';
  return { ...filter, value: isMoment ? isoTime(filter.value) : filter.value };
};
const wireTree = (tree: FilterTree): WireTree =>
  tree.kind === 'leaf'
    ? { kind: 'leaf', filter: wireFilter(tree.filter) }
    : { kind: 'group', operator: tree.operator, nodes: tree.nodes.map(wireTree) };

/** Stands for the blind index of a phone. */
export const phoneHashOf = (organizationId: string, phone: string): string =>
  createHash('sha256').update(`${organizationId} ${phone}`).digest('base64url');

/** An entry or exit as text, for comparisons. */
export const moveText = ({ kind, segmentId, contactId }: Pick<Transition, 'contactId' | 'kind' | 'segmentId'>) =>
  `${segmentId} ${kind} ${contactId}`;

/** A base of contacts and segments that is changed as the service does it, beside plain maps of them. */
export const startMembers = async (world: World, skip = 0, takesEvents = true) => {
  const { organizationId, env } = await world.organization(1, takesEvents);
  const { table } = world;
  const contacts = new Map<number, Contact>();
  const segments = new Map<Segment['id'], { readonly segment: Segment; readonly tree: FilterTree }>();
  const taken = new Map<string, Transition>();
  const store = segmentStore(table);
  if (skip > 0) await takeContactNumbers(table, organizationId, skip);

  const portsOver = (over: Table): MergePorts =>
    memberPorts(
      over,
      () => world.now,
      (transitions) => {
        for (const each of transitions) taken.set(`${moveText(each)} ${each.version}`, each);
      },
    );
  const write = async (contact: Contact, isNew: boolean, by: Table) => {
    await writeContact(by, contact, isNew);
    contacts.set(contact.number, contact);
  };
  const held = (at: number) => [...contacts.values()].at(at % Math.max(1, contacts.size));

  return {
    organizationId,
    env,
    contacts,
    segments,
    taken,
    portsOver,
    held,
    async create(given: Facts, by = table) {
      const id = newId('contact');
      const number = await takeContactNumbers(table, organizationId, 1);
      const phone = `+55119${String(number).padStart(8, '0')}`;
      const phoneHash = phoneHashOf(organizationId, phone);
      const own = { id, number, organizationId, env, phone, phoneHash };
      await table.write({
        put: { ...KEYS.phone(organizationId, phoneHash), org: organizationId, contactId: id, contactNumber: number },
      });
      await write({ ...given, ...own, createdAt: world.now, updatedAt: world.now, version: 1 }, true, by);
    },
    async change(contact: Contact, given: Partial<Facts>, by = table) {
      await write({ ...contact, ...given, updatedAt: world.now, version: contact.version + 1 }, false, by);
    },
    async interact(contact: Contact) {
      const { id: contactId, number, version } = contact;
      if ((contact.lastInteractionAt ?? 0) >= world.now) return;
      await recordInteraction(table, { organizationId, contactId, lastInteractionAt: world.now, updatedAt: world.now });
      contacts.set(number, { ...contact, lastInteractionAt: world.now, updatedAt: world.now, version: version + 1 });
    },
    async remove({ id, number, ...contact }: Contact) {
      const mark = changedWrite({ ...contact, id, number }, await changesDue(table, organizationId));
      const numbered = { delete: KEYS.numberedContact(organizationId, number) };
      const found = { delete: KEYS.phone(organizationId, contact.phoneHash) };
      await table.transact([{ delete: KEYS.contact(id) }, numbered, found, mark]);
      contacts.delete(number);
    },
    async addSegment(tree: FilterTree): Promise<Segment> {
      const id = newId('segment');
      const at = { createdAt: world.now, updatedAt: world.now };
      const segment = { id, organizationId, env, name: id, filters: [], filterTree: wireTree(tree), ...at, version: 1 };
      expect(await store.create(segment)).toEqual({ kind: 'saved' });
      segments.set(id, { segment, tree });
      return segment;
    },
    async changeSegment(id: Segment['id'], tree: FilterTree) {
      const before = (await store.read(organizationId, id)) as Segment;
      const after = { ...before, filterTree: wireTree(tree), updatedAt: world.now, version: before.version + 1 };
      expect(await store.change(before, after)).toEqual({ kind: 'saved' });
      segments.set(id, { segment: after, tree });
    },
    async removeSegment(id: Segment['id']) {
      const before = (await store.read(organizationId, id)) as Segment;
      expect(await store.remove(before, world.now)).toBe(true);
      segments.delete(id);
    },
    /** Runs the sweeps that are due once. */
    async sweeps() {
      for (const { pk, sk } of await overdue(table, 'segment_members', world.now, 1_000))
        if (pk.includes(organizationId) && isSegmentSweep({ sk }))
          await sweepSegment(portsOver(table), organizationId, PARSE_KEY.segmentSweep({ pk, sk }).segmentId);
    },
    /** Works on everything that is due once, by a process over a table; answers whether there was any. */
    async work(over: Table): Promise<boolean> {
      const ports = portsOver(over);
      const checked = await workOnBlocks(ports, organizationId, world.now, table);
      return (await workOnMarks(ports, organizationId, table)) || checked;
    },
    /** Works until nothing is due. */
    async quiet() {
      for (let rounds = 0; await this.work(table); rounds++) expect(rounds).toBeLessThan(50);
    },
    /** The contacts of a segment by a plain filter. */
    oracle: (tree: FilterTree): Set<Contact['id']> =>
      new Set([...contacts.values()].filter((each) => matches(tree, digestOf(each), world.now)).map(({ id }) => id)),
    /** The members of some segments by the rows of the blocks, in their order. Expects that no notification is pending. */
    async keptOf(segmentIds: readonly Segment['id'][]): Promise<Set<Contact['id'] | number>[]> {
      const last = Math.floor(Math.max(0, ...contacts.keys(), skip) / BLOCK_SIZE);
      const blocks = await readMembers(table, organizationId, [...Array(last + 1).keys()]);
      for (const block of blocks) expect(block?.pendingTransitions ?? []).toEqual([]);
      return segmentIds.map((segmentId) => {
        const found = blocks.flatMap((block) => {
          const members = block?.segments[segmentId]?.members.newestFirst() ?? [];
          return [...members].map((offset) => numberAt(block?.block ?? 0, offset));
        });
        return new Set(found.map((number) => contacts.get(number)?.id ?? number));
      });
    },
    /** As `keptOf`, of one segment. */
    async kept(segmentId: Segment['id']): Promise<Set<Contact['id'] | number>> {
      const [members = new Set()] = await this.keptOf([segmentId]);
      return members;
    },
  };
};
export type Members = Awaited<ReturnType<typeof startMembers>>;

/** Has a process end in the middle of its work. */
export const crashing = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
};

export { NOW };

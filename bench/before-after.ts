import { table } from './table.ts';

/** What a busy tenant or a busy stage ran into, and the goal of RESULTS.md that says where it stands. */
interface Limit {
  readonly what: string;
  /** As it was found on 2026-11-23. */
  readonly before: string;
  readonly section: string;
  /** How the goal's text begins. */
  readonly goal: string;
}

const ONE_WALLET = 'sends of one wallet with less than 1 % refused';
const LIMITS: readonly Limit[] = [
  {
    what: 'Sends of one wallet by 64 clients, refused',
    before: '33 %, where overlapping writes are refused for 8 ms',
    section: 'laws',
    goal: 'sends of one wallet refused at 64 connections',
  },
  { what: "Sends a second on one tenant's wallet", before: '25 to 80, worked out', section: 'laws', goal: ONE_WALLET },
  {
    what: "Sends a second into one tenant's list of a channel",
    before: '250 to 333, worked out',
    section: 'laws',
    goal: ONE_WALLET,
  },
  {
    what: 'Sends a second through the index of due work',
    before: '2,000, worked out',
    section: 'laws',
    goal: ONE_WALLET,
  },
  {
    what: 'Batches that 20 consumers of one subscription gave up',
    before: '14 % without conflicts, 60 % with',
    section: 'laws',
    goal: 'batches that 20 consumers',
  },
  {
    what: 'Contacts of one organization by 24 callers, refused',
    before: '39 to 42 %',
    section: 'laws',
    goal: 'contacts refused of 24 callers',
  },
  {
    what: 'Due rows that a dispatcher hands over a second',
    before: '33',
    section: 'dispatch',
    goal: 'rows handed over a second',
  },
  {
    what: 'Calls that a hanging provider holds at once',
    before: 'all that the account can run',
    section: 'hang',
    goal: 'calls that the hanging provider had in hand',
  },
  {
    what: 'Processor time of a send with a test key, service and engine',
    before: '4.5 ms; on the machine of the section 3.4 to 3.7',
    section: 'send',
    goal: 'processor time of a send (otp)',
  },
  {
    what: 'Sends a second of one process and one engine with a test key, so without a provider',
    before: '329; on the machine of the section 437 to 482',
    section: 'send',
    goal: 'sends/s (otp) at 64 connections',
  },
  {
    what: 'Live sends a second of one process and one engine, to a stand-in of a provider',
    before:
      'not measured; by an SMS gateway without ledger or durable store: 608, where the send with a test key made 329',
    section: 'send',
    goal: 'sends/s (premium, live) at 64 connections',
  },
  {
    what: 'Write units of a live send with its receipt',
    before: '43',
    section: 'capacity',
    goal: 'write units of a live send (otp) with its receipt',
  },
  { what: 'Write units of a webhook delivery', before: '20', section: 'deliveries', goal: 'write units of a delivery' },
];

const TEXT = `## Before and after

What stood in the way of a busy tenant before its traffic was spread over lanes, due work over shards, and breakers were shared (commit 7587362 and earlier, 2026-11-23), and the goal of this document
that says where it stands now. Worked out: from the units of the rows and the documented limits of a partition key, not measured. A send behind the laws also writes its entry in the tenant's list and a due row, so that
the rate that they let through is no more than that of each of them. 329, 608 and 4.5 ms are of a slower machine. On the machine of section send, commit 7587362's own
bench (2 rounds on 2026-11-28) gives a send with a test key 437/s and 3.7 ms at 16 connections, and 482/s and 3.4 ms at 64: compare with these.`;

/** The cells of a goal: what, measured, goal, holds. */
export type GoalCells = readonly string[];

/** The comparison, from the goals of each section as they stand in the document. `isStale`: whether a section is marked stale. */
export const beforeAfter = (
  goalsOf: (section: string) => readonly GoalCells[],
  isStale: (section: string) => boolean,
): string => {
  const rows = LIMITS.map(({ what, before, section, goal }) => {
    const [, measured = 'not measured', aim = ''] = goalsOf(section).find(([name = '']) => name.startsWith(goal)) ?? [];
    return [what, before, measured, aim, isStale(section) ? `${section}, stale` : section];
  });
  return `${TEXT}\n\n${table(['What', 'Before', 'Now', 'Goal', 'Section'], rows)}`;
};

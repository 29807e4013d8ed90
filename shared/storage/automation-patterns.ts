import type { Id } from '../domain/core/ids.ts';
import { digest, type IdOrEmpty, key, type Org, padded } from './key-parts.ts';

/** The keys of journeys, their runs, and campaigns. */
export const AUTOMATION_KEYS = {
  /** A version of a journey, without its graph. */
  journey: (id: Id<'journey'>) => key(`JOR#${id}`, 'JOR'),
  /**
   * A part of the compressed graph of a version of a journey. In the partition of its row and sorted before it, so that one query reads
   * both.
   */
  journeyGraph: (id: Id<'journey'>, revision: number, part: number) =>
    key(`JOR#${id}`, `G#${padded(revision, 6)}#${padded(part, 2)}`),
  /**
   * The shared state of a journey's versions, under the id of the first: the draft, the running version, and the sealed secrets of its
   * webhook steps.
   */
  journeyLineage: (rootId: Id<'journey'>) => key(`JOR#${rootId}`, 'LINEAGE'),
  /** The progress of entering the members of a journey's list or segment at its activation. */
  journeyEntries: (id: Id<'journey'>) => key(`JOR#${id}`, 'ENTER'),
  /** The progress of a sweep over a journey's runs, which resumes or cancels them. */
  journeySweep: (id: Id<'journey'>) => key(`JOR#${id}`, 'SWEEP'),
  /**
   * The trigger of a journey that takes entries, by its cause. An organization's are in one partition: one query by prefix finds the
   * matching ones.
   */
  journeyTrigger: (organizationId: Org, kind: string, target: string, id: IdOrEmpty<'journey'>) =>
    key(`JTRIG#${organizationId}`, `${kind}#${digest(target)}#${id}`),
  /** A contact's run through a journey. */
  run: (id: Id<'run'>) => key(`RUN#${id}`, 'RUN'),
  /**
   * A randomly chosen shard of the counters of a journey's runs. An organization's share partitions, so that a few queries read the
   * counters of all.
   */
  journeyRunCounts: (organizationId: Org, row: number, id: IdOrEmpty<'journey'>) =>
    key(`JRUNS#${organizationId}#${row}`, id),
  /** An older part of a run's history, by its number. */
  runHistory: (id: Id<'run'>, part: number) => key(`RUN#${id}`, `HIST#${padded(part, 6)}`),
  /** Marks that an organization has ever activated a journey, so that journeys are notified of its events. */
  journeyUse: (organizationId: Org) => key(`JUSE#${organizationId}`, 'JUSE'),
  /**
   * A shard of the counters of a journey's step, of a transition between two, or of the journey itself under the empty key; spread randomly
   * over partitions and their rows.
   */
  journeyCounts: (id: Id<'journey'>, part: number, stepId: string, row: number) =>
    key(`JCNT#${id}#${part}`, `${stepId}#${row}`),
  /** A shard of a campaign's counters; spread randomly over partitions and their rows. */
  campaignCounts: (id: Id<'campaign'>, part: number, row: number) => key(`CCNT#${id}#${part}`, `R#${row}`),
  /** An outcome of a message that a run may wait for, until the run is notified; in the run's partition, so that one query reads both. */
  runSignal: (id: Id<'run'>, messageId: IdOrEmpty<'message'>, happening: string) =>
    key(`RUN#${id}`, `SIG#${messageId}#${happening}`),
  /** The active or last run of a contact in a journey, across all versions. */
  journeyEntry: (contactId: Id<'contact'>, rootId: Id<'journey'> | '') => key(`JENT#${contactId}`, rootId),
  /** Tags added to a contact, by the contact's version, until journeys are notified. */
  taggedContact: (id: Id<'contact'>, version: number) => key(`JTAG#${id}`, `V#${padded(version, 12)}`),
  /** The progress of contacts that joined a list in an edit and enter its journeys. */
  listJoin: (listId: Id<'list'>, edit: string) => key(`LSTJOIN#${listId}#${edit}`, 'JOIN'),
  /** A chunk of these contacts, by their numbers. */
  listJoinChunk: (listId: Id<'list'>, edit: string, chunk: number) => key(`LSTJOIN#${listId}#${edit}`, `C#${chunk}`),
  /** A run that waits for a customer event of its contact (`wait`), or counts it as its journey's goal (`goal`). */
  runAwait: (contactId: Id<'contact'>, eventName: string, role: 'goal' | 'wait' | '', runId: IdOrEmpty<'run'>) =>
    key(`JAWAIT#${contactId}`, `${digest(eventName)}#${role}#${runId}`),
  /** A campaign, without messages and audience. */
  campaign: (id: Id<'campaign'>) => key(`CMP#${id}`, 'CMP'),
  /** The messages and the audience of a campaign; compressed. */
  campaignContent: (id: Id<'campaign'>) => key(`CMP#${id}`, 'CONTENT'),
  /** The part of a campaign's `maxCoins` that its portions have reserved. */
  campaignBudget: (id: Id<'campaign'>) => key(`CMP#${id}`, 'BUDGET'),
  /** A chunk of the snapshot of a campaign's audience: its contacts, by their numbers. */
  campaignChunk: (id: Id<'campaign'>, snapshot: string, chunk: number) =>
    key(`CMPS#${id}#${snapshot}`, padded(chunk, 6)),
  /**
   * A portion of a campaign's recipients: who was sent to, and who was skipped and why. A partition each: many are processed concurrently.
   */
  campaignPortion: (id: Id<'campaign'>, portion: number) => key(`CMPP#${id}#${portion}`, 'PORTION'),
  /** The last event of a name for a contact's runs: a run that starts to wait for one checks that it has not arrived meanwhile. */
  lastRunEvent: (contactId: Id<'contact'>, eventName: string) =>
    key(`JAWAIT#${contactId}`, `LAST#${digest(eventName)}`),
} as const;

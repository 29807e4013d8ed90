import type { Id } from '../domain/core/ids.ts';
import { digest, type IdOrEmpty, key, type Org, padded } from './key-parts.ts';

/** The part of the key table that journeys, their runs, and campaigns have. */
export const AUTOMATION_KEYS = {
  /** A version of a journey, without its graph. */
  journey: (id: Id<'journey'>) => key(`JOR#${id}`, 'JOR'),
  /** A part of the compressed graph of a version of a journey. In the partition of its row and before it, so that one query reads both. */
  journeyGraph: (id: Id<'journey'>, revision: number, part: number) =>
    key(`JOR#${id}`, `G#${padded(revision, 6)}#${padded(part, 2)}`),
  /** What the versions of a journey share, under the id of the first: which one is the draft and which one runs, and the secrets of its webhook steps; sealed. */
  journeyLineage: (rootId: Id<'journey'>) => key(`JOR#${rootId}`, 'LINEAGE'),
  /** The entry of those who were in the list or segment of a journey when it was activated: how far it has come. */
  journeyEntries: (id: Id<'journey'>) => key(`JOR#${id}`, 'ENTER'),
  /** The sweep over the runs of a journey that are to go on, or to be cancelled: how far it has come. */
  journeySweep: (id: Id<'journey'>) => key(`JOR#${id}`, 'SWEEP'),
  /** The trigger of a journey that takes entries, by what sets it off. An organization's are in one partition: one query by prefix finds whom something concerns. */
  journeyTrigger: (organizationId: Org, kind: string, target: string, id: IdOrEmpty<'journey'>) =>
    key(`JTRIG#${organizationId}`, `${kind}#${digest(target)}#${id}`),
  /** A contact's run through a journey. */
  run: (id: Id<'run'>) => key(`RUN#${id}`, 'RUN'),
  /** A row of what is counted of a journey's runs, chosen by chance. An organization's are together in each of its partitions, so that few queries tell it of all. */
  journeyRunCounts: (organizationId: Org, row: number, id: IdOrEmpty<'journey'>) =>
    key(`JRUNS#${organizationId}#${row}`, id),
  /** An older part of a run's history, by its number. */
  runHistory: (id: Id<'run'>, part: number) => key(`RUN#${id}`, `HIST#${padded(part, 6)}`),
  /** That an organization has activated a journey at some time: journeys may be told of what happens in it. */
  journeyUse: (organizationId: Org) => key(`JUSE#${organizationId}`, 'JUSE'),
  /** A row of what is counted of a journey's step, of the way from one to another, or of itself under the empty key; spread by chance over partitions and their rows. */
  journeyCounts: (id: Id<'journey'>, part: number, stepId: string, row: number) =>
    key(`JCNT#${id}#${part}`, `${stepId}#${row}`),
  /** A row of what is counted of a campaign; spread by chance over partitions and their rows. */
  campaignCounts: (id: Id<'campaign'>, part: number, row: number) => key(`CCNT#${id}#${part}`, `R#${row}`),
  /** What became of a message that a run may wait for, until the run was told; in the run's partition, so that one query reads both. */
  runSignal: (id: Id<'run'>, messageId: IdOrEmpty<'message'>, happening: string) =>
    key(`RUN#${id}`, `SIG#${messageId}#${happening}`),
  /** The run of a contact in a journey, all versions together, that is active or was the last. */
  journeyEntry: (contactId: Id<'contact'>, rootId: Id<'journey'> | '') => key(`JENT#${contactId}`, rootId),
  /** That tags were put on a contact, by the version that it had then, until journeys were told. */
  taggedContact: (id: Id<'contact'>, version: number) => key(`JTAG#${id}`, `V#${padded(version, 12)}`),
  /** Contacts that joined a list in an edit and enter its journeys: how far that has come. */
  listJoin: (listId: Id<'list'>, edit: string) => key(`LSTJOIN#${listId}#${edit}`, 'JOIN'),
  /** A chunk of these contacts, by their numbers. */
  listJoinChunk: (listId: Id<'list'>, edit: string, chunk: number) => key(`LSTJOIN#${listId}#${edit}`, `C#${chunk}`),
  /** That a run waits for a customer event of its contact (`wait`), or counts it as its journey's goal (`goal`). */
  runAwait: (contactId: Id<'contact'>, eventName: string, role: 'goal' | 'wait' | '', runId: IdOrEmpty<'run'>) =>
    key(`JAWAIT#${contactId}`, `${digest(eventName)}#${role}#${runId}`),
  /** A campaign, without what it says and to whom. */
  campaign: (id: Id<'campaign'>) => key(`CMP#${id}`, 'CMP'),
  /** The messages and the audience of a campaign; compressed. */
  campaignContent: (id: Id<'campaign'>) => key(`CMP#${id}`, 'CONTENT'),
  /** What a campaign's portions took of its `maxCoins`. */
  campaignBudget: (id: Id<'campaign'>) => key(`CMP#${id}`, 'BUDGET'),
  /** A chunk of the snapshot of a campaign's audience: its contacts, by their numbers. */
  campaignChunk: (id: Id<'campaign'>, snapshot: string, chunk: number) =>
    key(`CMPS#${id}#${snapshot}`, padded(chunk, 6)),
  /** A portion of a campaign's recipients: who was sent to, and who is not and why. A partition each: many are worked on at once. */
  campaignPortion: (id: Id<'campaign'>, portion: number) => key(`CMPP#${id}#${portion}`, 'PORTION'),
  /** The last event of a name that was told to a contact's runs: what begins to wait for one checks that it has not come meanwhile. */
  lastRunEvent: (contactId: Id<'contact'>, eventName: string) =>
    key(`JAWAIT#${contactId}`, `LAST#${digest(eventName)}`),
} as const;

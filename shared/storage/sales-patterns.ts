import type { Id } from '../domain/core/ids.ts';
import { digest, type IdOrEmpty, key, type Org, padded } from './key-parts.ts';

/** The keys of companies, pipelines, their cards, and activities. */
export const SALES_KEYS = {
  /** A company. In the partition of its counters, so that one query reads both. */
  company: (id: Id<'company'>) => key(`EMP#${id}`, 'EMP'),
  /** A shard of a company's counters: its contacts and cards, by their ids. */
  companyCounts: (id: Id<'company'>, shard: number) => key(`EMP#${id}`, `N#${shard}`),
  /** A CNPJ of an organization: makes it unique among companies, and finds the company. */
  cnpj: (organizationId: Org, cnpj: string) => key(`EMPCNPJ#${organizationId}#${cnpj}`, 'EMPCNPJ'),
  /** The company that an import last created without a CNPJ under a name: of two concurrent imports, one creates it. */
  companyName: (organizationId: Org, name: string) => key(`EMPNAME#${organizationId}#${digest(name)}`, 'EMPNAME'),
  /** The definitions of the attributes of an organization's companies. */
  companyAttributes: (organizationId: Org) => key(`EMPDEFS#${organizationId}`, 'EMPDEFS'),
  /** A shard of the counter of writes of companies' attributes, with the version of the definitions that they must match. */
  companyAttributeWrites: (organizationId: Org, shard: number) => key(`EMPDEFSW#${organizationId}#${shard}`, 'W'),
  /** A bucket of the directory of an organization's companies: names and responsible accounts, by a hash of the company's id. */
  companyBucket: (organizationId: Org, bucket: number) => key(`EMPDIR#${organizationId}`, `B#${padded(bucket, 3)}`),
  /** How often each bucket of the directory was merged. */
  companyBucketVersions: (organizationId: Org) => key(`EMPDIRV#${organizationId}`, 'V'),
  /**
   * Marks a company as changed since it was merged into the directory. An organization's are in one partition, so that one query reads them
   * all.
   */
  changedCompany: (organizationId: Org, id: IdOrEmpty<'company'>) => key(`EMPCH#${organizationId}`, id),
  /** A sales pipeline with its stages. */
  pipeline: (id: Id<'pipeline'>) => key(`PIP#${id}`, 'PIP'),
  /** A shard of the counters of a pipeline's stages: their cards and the value of the open ones, by the card's id. */
  pipelineCounts: (id: Id<'pipeline'>, shard: number) => key(`PIP#${id}`, `N#${shard}`),
  /** A card (deal). */
  card: (id: Id<'card'>) => key(`CRD#${id}`, 'CRD'),
  /** The copy of a card in its stage, in board order: one query reads a stage. */
  cardInStage: (stageId: Id<'stage'>, order: string, id: IdOrEmpty<'card'>) => key(`STG#${stageId}`, `${order}#${id}`),
  /** An entry of a card's history; sorts by time. */
  cardHistory: (id: Id<'card'>, order: string) => key(`CRD#${id}`, `H#${order}`),
  /** A file of a card. */
  cardFile: (cardId: Id<'card'>, id: IdOrEmpty<'cardFile'>) => key(`CRD#${cardId}`, `FILE#${id}`),
  /** The number of a card's files. */
  cardFileCount: (cardId: Id<'card'>) => key(`CRD#${cardId}`, 'FILES'),
  /** An upload of a card's file until it expires, or a deleted file until its bytes are deleted. */
  cardUpload: (id: Id<'upload'>) => key(`CRDUPL#${id}`, 'CRDUPL'),
  /** An activity: a call, a meeting, a task. */
  activity: (id: Id<'activity'>) => key(`ATV#${id}`, 'ATV'),
} as const;

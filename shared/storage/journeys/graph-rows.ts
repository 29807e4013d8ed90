import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { WireGraph, WireStep } from '../../domain/journeys/definition.ts';
import type { Journey } from '../../domain/journeys/journey.ts';
import { MAX_GRAPH_BYTES } from '../../domain/journeys/limits.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/* The compressed graph of a version, in as many rows as it needs: a row holds 400 KB. Header values of its webhook steps are sealed. */

/** Bytes of a graph in one row. */
const PART_BYTES = 350 * 1024;
/**
 * The maximum size of a stored graph as JSON, in bytes: sealing adds about 100 bytes and a third to header values, of which there are at
 * most 3,000.
 */
const MAX_UNPACKED_BYTES = 4 * MAX_GRAPH_BYTES;

/** Seals and opens a header's value of a webhook step. */
export interface HeaderSealer {
  seal(journey: Journey, header: string, value: string): Promise<string>;
  open(journey: Journey, header: string, sealed: string): Promise<string>;
}

type Convert = (header: string, value: string) => Promise<string>;
const convertStep = async (step: WireStep, convert: Convert): Promise<WireStep> => {
  if (step.tipo !== 'webhook' || !step.config.cabecalhos) return step;
  const cabecalhos = await Promise.all(
    step.config.cabecalhos.map(async ({ key, value }) => ({ key, value: await convert(key, value) })),
  );
  return { ...step, config: { ...step.config, cabecalhos } };
};
/** A graph with each header value of its webhook steps replaced. */
const withHeaders = async (graph: WireGraph, convert: Convert): Promise<WireGraph> => ({
  ...graph,
  passos: await Promise.all(graph.passos.map((step) => convertStep(step, convert))),
});

const partRow = z.object({ revision: z.int(), parts: z.int(), bytes: z.instanceof(Uint8Array) });

/** The rows of a new graph of a version. */
export const graphWrites = async (sealer: HeaderSealer, journey: Journey, graph: WireGraph): Promise<WriteOp[]> => {
  const sealed = await withHeaders(graph, (header, value) => sealer.seal(journey, header, value));
  const packed = gzipSync(JSON.stringify(sealed));
  const parts = Math.ceil(packed.length / PART_BYTES);
  const { id, organizationId: org, revision } = journey;
  return Array.from({ length: parts }, (_, part) => ({
    put: {
      ...KEYS.journeyGraph(id, revision, part),
      org,
      revision,
      parts,
      bytes: packed.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
    },
  }));
};

/** Deletes the rows of a version's graph. One query. */
export const removeGraphWrites = async (table: Table, { id, revision }: Journey): Promise<WriteOp[]> => {
  const { pk: partition, sk } = KEYS.journeyGraph(id, revision, 0);
  const sort = { text: 'begins_with(#sk, :graph)', values: { graph: sk.slice(0, sk.lastIndexOf('#') + 1) } };
  const rows = await table.queryAll({ partition, sort, consistent: true, only: ['pk', 'sk'] });
  return rows.map(({ pk, sk }) => ({ delete: { pk, sk } }));
};

/**
 * The graph of a version from rows of its partition; undefined if they are not all of its revision, because it changed between two reads.
 */
export const readGraphRows = async (
  sealer: HeaderSealer,
  journey: Journey,
  rows: readonly Row[],
): Promise<WireGraph | undefined> => {
  const own = rows.map((row) => partRow.parse(row)).filter(({ revision }) => revision === journey.revision);
  if (own.length === 0 || own.length !== own[0]?.parts) return undefined;
  const packed = Buffer.concat(own.map(({ bytes }) => bytes));
  const json = gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
  // Stored graphs are valid.
  return withHeaders(JSON.parse(json) as WireGraph, (header, sealed) => sealer.open(journey, header, sealed));
};

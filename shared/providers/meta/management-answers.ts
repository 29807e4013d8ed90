import * as z from 'zod';
import type { PlatformAnswer } from '../../domain/numbers/platform.ts';
import { type ErrorTable, knownError } from './answers.ts';
import { type GraphClient, type GraphError, type GraphReply, graphWords } from './graph.ts';

/** Too many calls on the business account (docs/graph-api/overview/rate-limiting, business use case limits). */
const OWN_ERRORS: ErrorTable = {
  80008: { cause: 'throttled', title: 'the limit of calls that manage the business account is reached' },
};

/** An object that is not there, or that the token does not reach: the Graph API does not tell which (error handling, subcode 33). */
const isAbsent = ({ code, subcode }: GraphError): boolean =>
  code === 33 || code === 803 || (code === 100 && subcode === 33);

type Refused = Extract<PlatformAnswer<never>, { kind: 'refused' }>;
const CAUSES: Readonly<Record<string, Refused['cause']>> = {
  content: 'content',
  credentials: 'credentials',
  sender: 'unavailable',
  throttled: 'throttled',
};

const errorAnswer = (error: GraphError): PlatformAnswer<never> => {
  const detail = graphWords(error);
  const known = knownError(OWN_ERRORS, error);
  const isServers = error.httpStatus >= 500 || error.httpStatus < 400 || error.isTransient;
  if (isAbsent(error)) return { kind: 'refused', cause: 'absent', detail };
  const cause = known
    ? CAUSES[known.cause]
    : isServers
      ? undefined
      : error.httpStatus === 429
        ? 'throttled'
        : 'content';
  if (cause === undefined) return { kind: 'uncertain', detail };
  const { retryAfterSeconds } = error;
  return { kind: 'refused', cause, detail, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
};

/** What a reply of the Graph API means to who manages numbers; `read` takes what is wanted from its value. */
export const managed = <T, R>(reply: GraphReply<T>, read: (value: T) => R): PlatformAnswer<R> => {
  switch (reply.kind) {
    case 'ok':
      return { kind: 'done', value: read(reply.value) };
    case 'error':
      return errorAnswer(reply);
    case 'not_sent':
      return { kind: 'refused', cause: 'unavailable', detail: `meta cannot be reached: ${reply.detail}` };
    case 'lost':
      return { kind: 'uncertain', detail: `meta: ${reply.detail}` };
    case 'unreadable':
      return { kind: 'uncertain', detail: `meta: HTTP ${reply.httpStatus} that could not be read` };
  }
};

/** `{"success": true}`: what the Graph API answers where there is nothing to tell. */
export const success = z.object({ success: z.literal(true) });
/** An id in a path: what was read from a stranger's answer, or typed by a customer, is one part of the address and no more. */
export const segment = (id: string): string => encodeURIComponent(id);

const PAGES = 20;
const paging = z.object({
  cursors: z.object({ after: z.string().optional() }).optional(),
  next: z.string().optional(),
});

interface Walk {
  readonly query: Readonly<Record<string, string | number>>;
  readonly pages: number;
  readonly mostBytes?: number;
}

/** Walks a list of the Graph API page by page (Graph API, Paginated Results) until `take` has enough; false when it ends in no end. */
const walk = async <T>(
  graph: GraphClient,
  path: string,
  item: z.ZodType<T>,
  { query, pages, ...request }: Walk,
  take: (items: readonly T[]) => boolean,
): Promise<PlatformAnswer<boolean>> => {
  const page = z.object({ data: z.array(item), paging: paging.optional() });
  let after: string | undefined;
  for (let turn = 0; turn < pages; turn++) {
    const reply = await graph.request('GET', path, page, { ...request, query: { ...query, after } });
    if (reply.kind !== 'ok') return managed(reply, () => true);
    const enough = take(reply.value.data);
    after = reply.value.paging?.cursors?.after;
    if (enough || !reply.value.paging?.next || !after) return { kind: 'done', value: true };
  }
  return { kind: 'done', value: false };
};

/** Looks through a list of the Graph API for one item; at most 20 pages. */
export const findInList = async <T>(
  graph: GraphClient,
  path: string,
  item: z.ZodType<T>,
  query: Readonly<Record<string, string | number>>,
  wanted: (item: T) => boolean,
): Promise<PlatformAnswer<T | undefined>> => {
  let found: T | undefined;
  const answer = await walk(graph, path, item, { query, pages: PAGES }, (items) => {
    found = items.find(wanted);
    return found !== undefined;
  });
  if (answer.kind !== 'done') return answer;
  return answer.value ? { kind: 'done', value: found } : { kind: 'uncertain', detail: 'meta: a list without an end' };
};

/** The longest page of a list with all of its items' fields, in bytes. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** How many pages of a whole list are read. */
const WHOLE_PAGES = 40;

/** The items of a list, at most 40 pages; one of an unknown form is left out by itself. */
export const wholeList = async <T>(
  graph: GraphClient,
  path: string,
  item: z.ZodType<T>,
  query: Readonly<Record<string, string | number>>,
): Promise<PlatformAnswer<readonly T[]>> => {
  const all: T[] = [];
  const request = { query, pages: WHOLE_PAGES, mostBytes: PAGE_BYTES };
  const answer = await walk(graph, path, z.unknown(), request, (items) => {
    for (const each of items) {
      const read = item.safeParse(each);
      if (read.success) all.push(read.data);
    }
    return false;
  });
  return answer.kind === 'done' ? { kind: 'done', value: all } : answer;
};

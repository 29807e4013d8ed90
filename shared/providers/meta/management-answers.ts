import * as z from 'zod';
import type { MetaAnswer } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import { type ErrorTable, knownError } from './answers.ts';
import { describeGraphError, type GraphClient, type GraphError, type GraphReply } from './graph.ts';

/** Too many calls for the business account (docs/graph-api/overview/rate-limiting, business use case limits). */
const MANAGEMENT_ERRORS: ErrorTable = {
  80008: { cause: 'throttled', title: 'the limit of calls that manage the business account is reached' },
};

/** The object does not exist or the token has no access to it; the Graph API does not distinguish (error handling, subcode 33). */
const isAbsent = ({ code, subcode }: GraphError): boolean =>
  code === 33 || code === 803 || (code === 100 && subcode === 33);

type Refused = Extract<MetaAnswer<never>, { kind: 'refused' }>;
const CAUSES: Readonly<Record<string, Refused['cause']>> = {
  content: 'content',
  credentials: 'credentials',
  sender: 'unavailable',
  throttled: 'throttled',
};

const errorAnswer = (error: GraphError): MetaAnswer<never> => {
  const detail = describeGraphError(error);
  const known = knownError(MANAGEMENT_ERRORS, error);
  const isServerError = error.httpStatus >= 500 || error.httpStatus < 400 || error.isTransient;
  if (isAbsent(error)) return { kind: 'refused', cause: 'absent', detail };
  const cause = known
    ? CAUSES[known.cause]
    : isServerError
      ? undefined
      : error.httpStatus === 429
        ? 'throttled'
        : 'content';
  if (cause === undefined) return { kind: 'uncertain', detail };
  const { retryAfterSeconds } = error;
  return { kind: 'refused', cause, detail, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
};

/** Converts the reply to a management call; `read` extracts the result. */
export const managementAnswer = <T, R>(reply: GraphReply<T>, read: (value: T) => R): MetaAnswer<R> => {
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

/** `{"success": true}`, the response of calls without a result. */
export const success = z.object({ success: z.literal(true) });
/** Encodes an id as one path segment: ids come from responses and from customers. */
export const pathSegment = (id: string): string => encodeURIComponent(id);

const MAX_SEARCH_PAGES = 20;
const paging = z.object({
  cursors: z.object({ after: z.string().optional() }).optional(),
  next: z.string().optional(),
});

interface PageRequest {
  readonly query: Readonly<Record<string, string | number>>;
  readonly pages: number;
  readonly maxBytes?: number;
}

/**
 * Reads a list page by page (Graph API, Paginated Results) until `onPage` returns true or the list ends; false if `pages` were not enough.
 */
const forEachPage = async <T>(
  graph: GraphClient,
  path: string,
  item: z.ZodType<T>,
  { query, pages, ...request }: PageRequest,
  onPage: (items: readonly T[]) => boolean,
): Promise<MetaAnswer<boolean>> => {
  const page = z.object({ data: z.array(item), paging: paging.optional() });
  let after: string | undefined;
  for (let turn = 0; turn < pages; turn++) {
    const reply = await graph.request('GET', path, page, { ...request, query: { ...query, after } });
    if (reply.kind !== 'ok') return managementAnswer(reply, () => true);
    const done = onPage(reply.value.data);
    after = reply.value.paging?.cursors?.after;
    if (done || !reply.value.paging?.next || !after) return { kind: 'done', value: true };
  }
  return { kind: 'done', value: false };
};

/** Searches a list for one item, up to 20 pages. */
export const findInList = async <T>(
  graph: GraphClient,
  path: string,
  item: z.ZodType<T>,
  query: Readonly<Record<string, string | number>>,
  wanted: (item: T) => boolean,
): Promise<MetaAnswer<T | undefined>> => {
  let found: T | undefined;
  const answer = await forEachPage(graph, path, item, { query, pages: MAX_SEARCH_PAGES }, (items) => {
    found = items.find(wanted);
    return found !== undefined;
  });
  if (answer.kind !== 'done') return answer;
  return answer.value ? { kind: 'done', value: found } : { kind: 'uncertain', detail: 'meta: a list without an end' };
};

/** Longest page of a list with all fields, in bytes. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_LIST_PAGES = 40;

/** All items of a list, up to 40 pages. Items that do not match the schema are skipped. */
export const listAll = async <T>(
  graph: GraphClient,
  path: string,
  item: z.ZodType<T>,
  query: Readonly<Record<string, string | number>>,
): Promise<MetaAnswer<readonly T[]>> => {
  const all: T[] = [];
  const request = { query, pages: MAX_LIST_PAGES, maxBytes: MAX_PAGE_BYTES };
  const answer = await forEachPage(graph, path, z.unknown(), request, (items) => {
    for (const each of items) {
      const read = item.safeParse(each);
      if (read.success) all.push(read.data);
    }
    return false;
  });
  return answer.kind === 'done' ? { kind: 'done', value: all } : answer;
};

import { Change, carryOut, type WriteAction, writeAction } from './change.ts';
import type { Answer, Call, Json } from './engine.ts';
import type { Flight } from './flights.ts';
import type { Laws } from './laws.ts';
import { CONFLICT, type Refusal, type Throttle, throttled } from './refusals.ts';

const KINDS = { PutItem: 'Put', UpdateItem: 'Update', DeleteItem: 'Delete' } as const;

const isConditionFailure = ({ body }: Answer): boolean =>
  String(body.__type).endsWith('#ConditionalCheckFailedException');

/** PutItem, UpdateItem and DeleteItem: rejected while a transaction has the item, serialized with other single writes. */
export const writeItem = async (laws: Laws, call: Call, name: keyof typeof KINDS): Promise<Answer | Refusal> => {
  const shape = await laws.engine.shape(call, call.body.TableName);
  if (!shape) return laws.engine.forward(call);
  const action = writeAction(KINDS[name], call.body, shape);
  const flight = laws.flights.beginWrite(action.id);
  if (!flight) {
    laws.refused('writeConflicts');
    return CONFLICT;
  }
  try {
    await flight.ready;
    const [before] = await laws.engine.read(call, shape, [action.key]);
    const change = new Change(laws, action, before);
    const throttle = change.throttle();
    if (throttle) return throttled(throttle);
    change.admit();
    return await carryOut([change], { call, send: () => laws.engine.forward(call), wasTried: isConditionFailure });
  } finally {
    flight.end();
  }
};

interface BatchPlace {
  readonly table: string;
  readonly request: Json;
  readonly action: WriteAction | undefined;
  readonly flight: Flight | undefined;
}

/** The writes of a batch, each queued for its item: all at the same moment, so that two batches cannot deadlock. */
const placesOf = async (laws: Laws, call: Call): Promise<BatchPlace[]> => {
  const tables = Object.entries(call.body.RequestItems as Record<string, Json[]>);
  const shapes = await Promise.all(tables.map(([table]) => laws.engine.shape(call, table)));
  return tables.flatMap(([table, requests], at) =>
    requests.map((request) => {
      const shape = shapes[at];
      if (!shape) return { table, request, action: undefined, flight: undefined };
      const put = request.PutRequest as Json | undefined;
      const action = writeAction(put ? 'Put' : 'Delete', put ?? request.DeleteRequest ?? {}, shape);
      return { table, request, action, flight: laws.flights.beginWrite(action.id) };
    }),
  );
};

const byTable = (places: readonly BatchPlace[]): Record<string, Json[]> => {
  const requests: Record<string, Json[]> = {};
  for (const { table, request } of places) requests[table] = [...(requests[table] ?? []), request];
  return requests;
};

/** Which places go to the engine, with their changes, and the throttle of the last that does not. */
const admitted = async (laws: Laws, call: Call, places: readonly BatchPlace[]) => {
  const going: { readonly place: BatchPlace; readonly change: Change | undefined }[] = [];
  let throttle: Throttle | undefined;
  for (const place of places) {
    const { action, flight } = place;
    if (!action) going.push({ place, change: undefined });
    if (!action || !flight) continue;
    await flight.ready;
    const [before] = await laws.engine.read(call, action.shape, [action.key]);
    const change = new Change(laws, action, before);
    const refused = change.throttle();
    throttle = refused ?? throttle;
    if (refused) continue;
    change.admit();
    going.push({ place, change });
  }
  return { going, throttle };
};

/**
 * BatchWriteItem: each item is a separate single write. Throttled ones are returned in UnprocessedItems; ThrottlingException if that is all
 * of them (API_BatchWriteItem.html). Guessed: an item that a transaction has is returned the same way, since the call has no error for
 * conflicts and failed items are documented to be returned.
 */
export const batchWrite = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const places = await placesOf(laws, call);
  try {
    const conflicts = places.filter(({ action, flight }) => action && !flight);
    laws.refused('writeConflicts', conflicts.length);
    const { going, throttle } = await admitted(laws, call, places);
    if (going.length === 0 && throttle && conflicts.length === 0) return throttled(throttle);
    const went = new Set(going.map(({ place }) => place));
    const left = places.filter((place) => !went.has(place));
    laws.refused('unprocessedItems', left.length);
    if (going.length === 0) return { status: 200, headers: {}, body: { UnprocessedItems: byTable(left) } };
    const RequestItems = byTable(going.map(({ place }) => place));
    const answer = await carryOut(
      going.flatMap(({ change }) => change ?? []),
      { call, send: () => laws.engine.forward(call, { body: { ...call.body, RequestItems } }), wasTried: () => false },
    );
    if (answer.status !== 200) return answer;
    return { ...answer, body: { ...answer.body, UnprocessedItems: byTable(left) } };
  } finally {
    for (const { flight } of places) flight?.end();
  }
};

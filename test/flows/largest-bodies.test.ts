import { describe, expect, test } from 'vitest';
import { COMMON_PROBLEMS, type OperationContract, ownProblems } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS } from '../../shared/domain/core/errors.ts';
import { type Answer, startMessaging } from '../support/api.ts';
import { bytesOf, largestBodies } from '../support/largest.ts';
import { exampleBody, pathWith } from '../support/requests.ts';
import { use } from '../support/use.ts';
import { keyed } from './support.ts';
import { makeThings, type Things } from './tenancy-objects.ts';
import { pathIds } from './tenancy-paths.ts';

/** Of three bytes, the most that a unit of a text has; and of one that are two in JSON. */
const WIDEST = '中';
const FILLS = [WIDEST, '"'];
/** Its bodies are lists of those of `v1.send`, and have a test of their own. */
const BULK = 'bulk.send';
const TAKING = OPERATIONS.filter(
  ({ id, permission, request }) => request.body && permission !== 'public' && id !== BULK,
);

/**
 * Need what no example has: bytes that were uploaded, another card of the stage, a person's session, a second contact, a message that failed, all stages of
 * the pipeline, a sender that was approved, an address that answers, a campaign that is paused, a journey that lets
 * contacts in by hand.
 */
const NEVER_ACCEPTED = new Set([
  'campaigns.resume',
  'card-files.register',
  'cards.move',
  'contacts.merge',
  'contacts.reveal-documents',
  'journeys.enter',
  'messages.resend',
  'operator.change-breaker',
  'operator.redrive-dead-letters',
  'operator.retry-work',
  'pipelines.order-stages',
  'senders.change',
  'webhooks.create',
]);

const messaging = await use(startMessaging());

/** An organization of its own with an object of each kind: what one body changes or creates does not meet another's. */
const withThings = async () => {
  const tenant = await messaging.tenant();
  return { client: tenant.test, things: await makeThings(messaging, tenant) };
};
const owner = await withThings();

/** A body with the owner's objects in the place of the example's, by the prefix of their ids. */
const ownedBy = (things: Things, body: unknown): unknown => {
  const ids = new Map(Object.values(things).map((id) => [id.slice(0, id.indexOf('_') + 1), id]));
  const owned = (value: unknown): unknown => {
    if (typeof value === 'string')
      return (/^[a-z]+_\w{21}$/.test(value) && ids.get(value.slice(0, value.indexOf('_') + 1))) || value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.length > 100 ? value : value.map(owned);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, owned(inner)]));
  };
  return owned(body);
};

let made = 0;
/** A body with a name and a phone of its own: an organization has each once. */
const unique = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const nth = String(++made).padStart(6, '0');
  const own = {
    name: (name: string) => name.slice(0, -6) + nth,
    phone: () => `+551198${nth}0`,
    phoneNumberId: () => `88${nth}1000`,
  };
  const renewed = Object.entries(own).flatMap(([field, renew]) => {
    const value = (body as Record<string, unknown>)[field];
    return typeof value === 'string' ? [[field, renew(value)] as const] : [];
  });
  return { ...body, ...Object.fromEntries(renewed) };
};

const declaredBy = (contract: OperationContract): ReadonlySet<number> =>
  new Set([
    ...Object.keys(contract.responses).map(Number),
    ...[...ownProblems(contract), ...COMMON_PROBLEMS].map((name) => PROBLEMS[name].status),
  ]);

const send = (contract: OperationContract, body: unknown): Promise<Answer> => {
  const { client, things } = owner;
  const path = pathWith(contract, pathIds(contract, (kind) => things[kind]) ?? '');
  const headers = contract.idempotency ? keyed() : {};
  return client.call(contract.method, path, { body: unique(ownedBy(things, body)), headers });
};

/** The fault of a response; undefined if there is none. */
const faultOf = (contract: OperationContract, body: unknown, { status, text }: Answer): string | undefined =>
  status < 500 && declaredBy(contract).has(status)
    ? undefined
    : `${status} to ${bytesOf(body)} bytes ${JSON.stringify(body).slice(0, 300)}: ${text.slice(0, 300)}`;

/** A body whose refused fields are as in the example again, so that the next call meets the others; undefined where none was refused. */
const withoutRefused = (body: unknown, example: unknown, { status, body: problem }: Answer): unknown => {
  if (status < 400 || typeof body !== 'object' || body === null) return undefined;
  const paths: { path: string }[] = problem?.errors ?? [];
  const refused = new Set(paths.map(({ path }) => path.split('.')[0] ?? ''));
  const kept = Object.entries(body).filter(([name]) => !refused.has(name));
  const again = Object.entries(example ?? {}).filter(([name]) => refused.has(name));
  const next = Object.fromEntries([...kept, ...again]);
  return JSON.stringify(next) === JSON.stringify(body) ? undefined : next;
};
/** Calls with one body, until no field of it is refused. */
const MAX_CALLS = 5;

describe.each(TAKING.map((contract) => [contract.id, contract] as const))('%s', { timeout: 180_000 }, (_, contract) => {
  test('answers every body that its contract allows at its largest, and never with 5xx', async () => {
    const { body: schema } = contract.request;
    if (!schema) throw new Error('It takes no body.');
    const faults: string[] = [];
    let accepted = 0;
    for (const fill of FILLS) {
      for (const body of largestBodies(schema, exampleBody(contract), fill).slice(0, fill === WIDEST ? undefined : 1)) {
        let sent: unknown = body;
        for (let calls = 0; calls < MAX_CALLS && sent !== undefined; calls++) {
          const answer = await send(contract, sent);
          const fault = faultOf(contract, sent, answer);
          if (fault) faults.push(fault);
          if (answer.status < 300) accepted++;
          sent = withoutRefused(sent, exampleBody(contract), answer);
        }
      }
    }
    expect(faults).toEqual([]);
    expect(accepted > 0).toBe(!NEVER_ACCEPTED.has(contract.id));
  });
});

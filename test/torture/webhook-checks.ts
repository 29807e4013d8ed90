import { setTimeout as pause } from 'node:timers/promises';
import { failUnless } from '../support/fail-unless.ts';
import type { Subscribed, WebhookLab } from './webhook-lab.ts';

const POLL_MS = 250;
const PAGE = 200;

const isHealthy = ({ endpoint }: Subscribed) => endpoint.behaviour === 'healthy';
const raisedBy = (lab: WebhookLab, { owner }: Subscribed): number => lab.owners[owner]?.raised ?? 0;

const missing = (lab: WebhookLab): number =>
  lab.subscribed
    .filter(isHealthy)
    .reduce((sum, each) => sum + Math.max(0, raisedBy(lab, each) - each.endpoint.receipts.size), 0);

const newest = async ({ client, id }: Subscribed, status?: string): Promise<{ total: number; items: unknown[] }> =>
  (await client.get(`/webhooks/${id}/deliveries`, { limit: 1, ...(status ? { status } : {}) })).body;
const deliveryCount = async (each: Subscribed, status?: string): Promise<number> => (await newest(each, status)).total;
const openCount = async (each: Subscribed): Promise<number> =>
  (await deliveryCount(each, 'pending')) + (await deliveryCount(each, 'failed'));

/** The states of a subscription's events as a text, with the newest that is open. */
const stateOf = async (lab: WebhookLab, each: Subscribed): Promise<string> => {
  const { client, id, endpoint, owner } = each;
  const { lastSequence } = (await client.get(`/webhooks/${id}/events`, { limit: 1 })).body;
  const counts = ['pending', 'failed', 'delivered', 'abandoned'].map(async (status) => {
    const { total, items } = await newest(each, status);
    return `${total} ${status}${status === 'delivered' || total === 0 ? '' : ` ${JSON.stringify(items)}`}`;
  });
  const states = (await Promise.all(counts)).join(', ');
  return `${id} of organization ${owner}: ${raisedBy(lab, each)} raised, ${lastSequence} in its feed, ${states}, ${endpoint.receipts.size} received`;
};

const until = async (isDone: () => Promise<boolean>, progress: () => number, patienceMs: number): Promise<boolean> => {
  for (let [last, at] = [progress(), Date.now()]; ; await pause(POLL_MS)) {
    if (await isDone()) return true;
    if (progress() !== last) [last, at] = [progress(), Date.now()];
    else if (Date.now() - at > patienceMs) return false;
  }
};

/** Waits until every healthy endpoint has every event. Throws when nothing arrived for `patienceMs` and events are missing. */
export const untilReceived = async (lab: WebhookLab, patienceMs: number): Promise<void> => {
  const done = await until(
    async () => missing(lab) === 0,
    () => missing(lab),
    patienceMs,
  );
  if (done) return;
  const lacking = lab.subscribed.filter((each) => isHealthy(each) && raisedBy(lab, each) > each.endpoint.receipts.size);
  const states = await Promise.all(lacking.map((each) => stateOf(lab, each)));
  throw new Error(
    `after ${patienceMs} ms without another receipt, healthy endpoints lack events:\n${states.join('\n')}`,
  );
};

/** The ids of a subscription's feed in their order; its sequences must be 1, 2, 3 … */
const feedOf = async ({ client, id }: Subscribed): Promise<string[]> => {
  const ids: string[] = [];
  for (;;) {
    const { status, body, text } = await client.get(`/webhooks/${id}/events`, { after: ids.length, limit: PAGE });
    failUnless(status === 200, `the feed was answered ${status}: ${text}`);
    for (const { id: eventId, sequence } of body.items) {
      failUnless(sequence === ids.length + 1, `the feed of ${id} has sequence ${sequence} after ${ids.length}`);
      ids.push(eventId);
    }
    if (body.items.length === 0) {
      failUnless(body.lastSequence === ids.length, `the feed of ${id} ends at ${ids.length} of ${body.lastSequence}`);
      return ids;
    }
  }
};

/** A healthy endpoint has one verified event per sequence, of exactly the contacts that were created, and nothing is open. */
const checkHealthy = async (lab: WebhookLab, each: Subscribed, patienceMs: number): Promise<string[]> => {
  const { endpoint, id } = each;
  const raised = raisedBy(lab, each);
  const ids = Array.from({ length: raised }, (_, at) => endpoint.receipts.get(at + 1)?.id ?? '');
  failUnless(endpoint.faults.length === 0, `${id} received a faulty request: ${endpoint.faults[0]}`);
  failUnless(!ids.includes(''), `${id} has a gap at sequence ${ids.indexOf('') + 1} of ${raised}`);
  failUnless(new Set(ids).size === raised, `${id} received an event under two sequences`);
  failUnless(endpoint.receipts.size === raised, `${id} received ${endpoint.receipts.size} events of ${raised}`);
  const contacts = new Set([...endpoint.receipts.values()].map(({ contactId }) => contactId));
  failUnless(contacts.size === raised, `${id} received events of ${contacts.size} contacts of ${raised}`);
  for (const contact of lab.owners[each.owner]?.contacts ?? [])
    failUnless(contacts.has(contact), `${id} received no event of ${contact}`);
  let open = -1;
  const settled = await until(
    async () => {
      open = await openCount(each);
      return open === 0;
    },
    () => open,
    patienceMs,
  );
  if (!settled) throw new Error(`deliveries are open that were answered with 200:\n${await stateOf(lab, each)}`);
  return ids;
};

/** The deliveries of a hung or broken endpoint are all still there, to be attempted again, and its feed is complete. */
const checkMisbehaving = async (lab: WebhookLab, each: Subscribed): Promise<string[]> => {
  const raised = raisedBy(lab, each);
  failUnless(each.endpoint.faults.length === 0, `${each.id} received a faulty request: ${each.endpoint.faults[0]}`);
  const ids = await feedOf(each);
  failUnless(ids.length === raised, `${each.id} has ${ids.length} deliveries of ${raised}`);
  const ended = (await deliveryCount(each, 'delivered')) + (await deliveryCount(each, 'abandoned'));
  failUnless(ended === 0, `${each.id} has ${ended} deliveries that ended, though its endpoint accepted none`);
  const kept = await deliveryCount(each);
  failUnless(kept === raised, `${each.id} keeps ${kept} deliveries of ${raised}`);
  return ids;
};

/** Every event reached every healthy endpoint of its organization, and is open for every other. */
export const checkCompleteness = async (lab: WebhookLab, patienceMs: number): Promise<void> => {
  const byOwner = new Map<number, string>();
  for (const each of lab.subscribed) {
    const ids = isHealthy(each) ? await checkHealthy(lab, each, patienceMs) : await checkMisbehaving(lab, each);
    const events = [...ids].sort().join();
    failUnless((byOwner.get(each.owner) ?? events) === events, `${each.id} has other events than its neighbours`);
    byOwner.set(each.owner, events);
  }
};

/** Milliseconds from an event to its receipt at healthy endpoints, sorted, of events from a moment on. */
export const waitsOf = (lab: WebhookLab, since: number): number[] =>
  lab.subscribed
    .filter(isHealthy)
    .flatMap(({ endpoint }) => [...endpoint.receipts.values()])
    .filter(({ createdAt }) => createdAt >= since)
    .map(({ createdAt, at }) => at - createdAt)
    .sort((a, b) => a - b);

/** The value below which a share of the sorted values lies. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startStackProcess, startStore, tablesAt } from '../../bench/processes.ts';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { apiClient, type Client } from '../support/api.ts';
import { portForLater } from '../support/ports.ts';
import { type Behaviour, type Endpoint, startEndpoint } from './webhook-endpoints.ts';

/** An endpoint with its subscription. */
export interface Subscribed {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly client: Client;
  /** Index of its organization. */
  readonly owner: number;
}

/** An organization; each contact created in it raises an event for all of its subscriptions. */
export interface Owner {
  readonly client: Client;
  /** Contacts whose creation was answered, by their ids. */
  readonly contacts: Set<string>;
  /** How many contacts exist, those included whose answer was lost. */
  raised: number;
}

/** The service in a process of its own, on an engine that outlives it, with organizations and endpoints. */
export interface WebhookLab {
  readonly owners: readonly Owner[];
  readonly subscribed: readonly Subscribed[];
  /** SIGKILL and start again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const DISPATCH_SECONDS = '2';

const subscribe = async (owner: number, client: Client, behaviour: Behaviour): Promise<Subscribed> => {
  const endpoint = await startEndpoint(behaviour);
  const { status, body, text } = await client.post('/webhooks', { url: endpoint.url, events: ['contact.created'] });
  if (status !== 201) throw new Error(`a subscription was answered ${status}: ${text}`);
  endpoint.verifier = new Webhook(body.secret);
  return { id: body.id, endpoint, client, owner };
};

/** Starts everything; the organizations get the endpoints in turn. */
export const startWebhookLab = async (organizations: number, behaviours: readonly Behaviour[]): Promise<WebhookLab> => {
  const store = await startStore();
  const port = await portForLater();
  const env = { PORT: String(port), DISPATCH_SECONDS };
  const start = () => startStackProcess({ dataDir: store.folder, dynamodbEndpoint: store.endpoint, env });
  let running = await start();
  const tables = tablesAt(store.endpoint);
  const owners: Owner[] = [];
  for (let at = 0; at < organizations; at++) {
    const { keys } = await createOrganization(tables, { name: `Torture ${at}` });
    owners.push({ client: apiClient(`http://127.0.0.1:${port}`, keys.test), contacts: new Set(), raised: 0 });
  }
  const subscribed: Subscribed[] = [];
  for (const [at, behaviour] of behaviours.entries()) {
    const owner = at % organizations;
    subscribed.push(await subscribe(owner, (owners[owner] as Owner).client, behaviour));
  }
  return {
    owners,
    subscribed,
    async restart() {
      process.kill(running.pid, 'SIGKILL');
      await running.stop();
      running = await start();
    },
    async close() {
      await running.stop();
      await Promise.all(subscribed.map(({ endpoint }) => endpoint.close()));
      await store.stop();
    },
  };
};

const RETRY_MS = 200;
/** A service that is killed is back within this time (ms). */
const RESTART_MS = 60_000;

/** Creates a contact though the service is killed meanwhile: when the answer is lost, the repeated request may be a 409. */
export const raise = async (owner: Owner, phone: string): Promise<void> => {
  const deadline = Date.now() + RESTART_MS;
  for (let lost = false; ; lost = true) {
    const answer = await owner.client.post('/contacts', { phone }).catch(() => undefined);
    if (answer?.status === 201) owner.contacts.add(answer.body.id);
    if (answer?.status === 201 || (lost && answer?.status === 409)) {
      owner.raised += 1;
      return;
    }
    if (answer && answer.status < 500) throw new Error(`a contact was answered ${answer.status}: ${answer.text}`);
    if (Date.now() > deadline) throw new Error('the service did not come back');
    await pause(RETRY_MS);
  }
};

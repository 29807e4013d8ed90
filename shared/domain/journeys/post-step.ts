import { derivedId, type Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { PostOutcome, WebhookPorts } from '../webhooks/ports.ts';
import { postedContact } from './contacts-shown.ts';
import type { EffectContext, EnginePorts, Performed } from './engine-ports.ts';
import type { JourneyLineage } from './lineage.ts';
import type { RunEvent } from './run.ts';
import type { PerformedEffect } from './turn.ts';

/** Ports for the posts of webhook steps. `open` unseals a signing secret. */
export interface PostPorts {
  readonly clock: EnginePorts['clock'];
  readonly post: WebhookPorts['post'];
  readonly sign: WebhookPorts['sign'];
  readonly userAgent: string;
  readonly readLineage: (rootId: Id<'journey'>) => Promise<JourneyLineage | undefined>;
  readonly openSecret: (organizationId: Id<'organization'>, rootId: Id<'journey'>, sealed: string) => Promise<string>;
}

/** Timeout of an endpoint's response, in ms. */
const POST_MS = 15_000;

/** An event as posted. */
const eventView = ({ at: _, ...event }: RunEvent): Omit<RunEvent, 'at'> => event;

/** The body: the contact, the run and its variables. The same bytes at every attempt, unless the contact changed. */
const bodyOf = ({ run, journey, contact }: EffectContext, id: Id<'event'>, step: string): string =>
  JSON.stringify({
    id,
    type: 'journey.webhook',
    timestamp: isoTime(run.beganAt),
    env: run.env,
    organizationId: run.organizationId,
    data: {
      journeyId: journey.id,
      runId: run.id,
      passo: step,
      contato: postedContact(contact, journey.contactsShown),
      variaveis: run.variables,
      ...definedFields({ evento: run.event && eventView(run.event) }),
    },
  });

/** The active signing secrets, newest first; none if the journey is gone. */
const secretsOf = async (ports: PostPorts, { journey }: EffectContext): Promise<string[]> => {
  const { organizationId, rootId } = journey;
  const lineage = await ports.readLineage(rootId);
  const now = ports.clock();
  const live = (lineage?.secrets ?? []).filter(({ endsAt }) => endsAt === undefined || endsAt > now);
  return Promise.all(live.map(({ sealed }) => ports.openSecret(organizationId, rootId, sealed)));
};

/** 2xx is success. The response's content is not stored: it may contain personal data. */
const resultOf = (outcome: PostOutcome): Performed => {
  if (outcome.kind === 'failed') {
    const detail = outcome.error;
    return detail === 'denied_address' ? { kind: 'refused', detail } : { kind: 'failed', detail };
  }
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'done', detail: String(status) };
  return status === 410 ? { kind: 'refused', detail: '410' } : { kind: 'failed', detail: String(status) };
};

/**
 * Posts a step's webhook, signed with the journey's secret (docs/spec/journeys.md#webhook-steps). Its id is derived from the visit and the
 * same at every attempt, so that receivers can deduplicate.
 */
export const postStep = async (
  ports: PostPorts,
  context: EffectContext,
  { step, visit, url, headers }: Extract<PerformedEffect, { kind: 'webhook' }>,
): Promise<Performed> => {
  const secrets = await secretsOf(ports, context);
  if (secrets.length === 0) return { kind: 'refused', detail: 'sem_segredo' };
  const id = derivedId('event', [context.run.id, step, String(visit)]);
  const seconds = Math.floor(ports.clock() / 1000);
  const body = bodyOf(context, id, step);
  const outcome = await ports.post({
    url,
    headers: {
      ...Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value])),
      'content-type': 'application/json',
      'user-agent': ports.userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': ports.sign(secrets, id, seconds, body),
    },
    body,
    timeoutMs: POST_MS,
  });
  return resultOf(outcome);
};

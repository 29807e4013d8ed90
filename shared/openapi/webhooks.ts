import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { EVENT_SHAPES } from '../contracts/event-data.ts';
import { envelopeWith } from '../contracts/webhook-shapes.ts';
import { EVENT_TYPES, type EventType } from '../domain/events/catalogue.ts';
import { EVENT_EXAMPLES } from '../domain/events/examples.ts';
import { envelopeOf } from '../domain/webhooks/envelope.ts';

const SIGNED = {
  'webhook-id': "The event's id, the same on every attempt.",
  'webhook-timestamp': 'Unix seconds of the attempt.',
  'webhook-signature': '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; one per live secret.',
} as const;

const parameters = Object.entries(SIGNED).map(([name, description]) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
}));

const exampleOf = (type: (typeof EVENT_TYPES)[number]) =>
  envelopeOf(
    {
      id: 'evt_4hJ9sKq2LmN8pRt5VwXz1' as never,
      type,
      organizationId: 'org_4hJ9sKq2LmN8pRt5VwXz1' as never,
      env: 'live',
      createdAt: Date.parse('2026-03-02T14:05:09.120Z'),
      data: EVENT_EXAMPLES[type],
    },
    1,
  );

/** The envelope of each type; types of one shape share it. */
const ENVELOPES = new Map(
  Object.entries(EVENT_SHAPES).flatMap(([name, shape]) => {
    const envelope = envelopeWith(name, shape);
    return shape.types.map((type) => [type, envelope] as const);
  }),
);

const envelopeSchema = (type: EventType) => {
  const schema = ENVELOPES.get(type);
  if (!schema) throw new Error(`The event ${type} has no shape in shared/contracts/event-data.ts.`);
  return schema;
};

/** The `webhooks` section: one entry per event type, with its example. */
export const webhooksSection = (): ZodOpenApiPathsObject =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `event.${type}`,
          tags: ['Webhooks'],
          summary: type,
          description: 'Posted to each subscription that takes this kind of event. Answer 2xx within 15 s.',
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: envelopeSchema(type), example: exampleOf(type) } },
          },
          responses: {
            '2XX': { description: 'Taken.' },
            '4XX': { description: 'Not taken: it comes again, but for 410, which revokes.' },
          },
        },
      },
    ]),
  );

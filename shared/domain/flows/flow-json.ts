import * as z from 'zod';

/** The versions of a flow's JSON and of its data exchange where it names none (interface 2.13). */
const VERSION = '6.2';
const DATA_API_VERSION = '3.0';
/** UTF-8 bytes of a flow's JSON: a page of 50 fits an answer. */
const MOST_BYTES = 100 * 1024;
const MOST_DEPTH = 64;

/** What of a JSON value cannot be kept as it was sent. */
const faultOf = (value: unknown, depth = 0): string | undefined => {
  if (depth > MOST_DEPTH) return 'is nested too deeply';
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return 'must not have the key __proto__';
  for (const inner of Object.values(value)) {
    const fault = faultOf(inner, depth + 1);
    if (fault) return fault;
  }
  return undefined;
};

const object = z.record(z.string(), z.unknown());
/** The platform's rule for a screen's id (Flow JSON, screens). SUCCESS is its own. */
const screenId = z
  .string()
  .max(80)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must use letters, digits and _ only')
  .refine((id) => id !== 'SUCCESS', 'is a name of the platform');

const screen = z.strictObject({
  id: screenId.meta({ description: 'Its id in the flow.', example: 'DADOS' }),
  title: z.string().max(80).optional().meta({ description: 'What stands above it.', example: 'Seus dados' }),
  terminal: z.boolean().optional().meta({ description: 'Whether the flow ends with it.', example: true }),
  success: z.boolean().optional().meta({ description: 'Whether ending there is a success.', example: true }),
  refresh_on_back: z.boolean().optional().meta({ description: 'Whether going back asks for its data anew.' }),
  sensitive: z.array(z.string().max(200)).max(200).optional().meta({ description: 'Fields that are shown masked.' }),
  data: object.optional().meta({ description: 'The data that it is given, by name.' }),
  layout: z
    .strictObject({
      type: z.literal('SingleColumnLayout').meta({ description: 'The only layout there is.' }),
      children: z.array(object).max(200).meta({ description: 'Its components, as the platform has them.' }),
    })
    .meta({ description: 'What stands on it.' }),
});

/** The order of screens: to which others each may lead. */
const routing = z.record(z.string().max(80), z.array(z.string().max(80)).max(200));

const shape = z
  .strictObject({
    version: z
      .string()
      .regex(/^\d{1,3}\.\d{1,3}$/, 'must be as 6.2')
      .default(VERSION)
      .meta({ description: 'The version of the Flow JSON.', example: VERSION }),
    data_api_version: z
      .string()
      .regex(/^\d{1,3}\.\d{1,3}$/, 'must be as 3.0')
      .default(DATA_API_VERSION)
      .meta({ description: 'The version of the data exchange.', example: DATA_API_VERSION }),
    routing_model: routing.optional().meta({ description: 'To which screens each screen may lead.' }),
    screens: z.array(screen).min(1).max(100).meta({ description: 'The screens, first things first.' }),
  })
  .meta({ id: 'FlowJson', description: 'What a flow shows, in the Flow JSON of the platform.' });

type Shape = z.output<typeof shape>;
const routeFaults = ({
  screens,
  routing_model: routes = {},
}: Shape): { path: (string | number)[]; message: string }[] => {
  const known = new Set(screens.map(({ id }) => id));
  return Object.entries(routes).flatMap(([from, to]) =>
    [from, ...to].some((id) => !known.has(id) && id !== 'SUCCESS')
      ? [{ path: ['routing_model'], message: 'names a screen that the flow does not have' }]
      : [],
  );
};

/** A flow's JSON (interface 2.13): its own shape is checked, what stands in a screen's layout is the platform's to judge. */
export const flowJsonSchema = z
  .preprocess((input, context) => {
    const fault =
      faultOf(input) ?? (Buffer.byteLength(JSON.stringify(input) ?? '') > MOST_BYTES ? 'is too long' : undefined);
    if (fault === undefined) return input;
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  }, shape)
  .superRefine((flow, context) => {
    const ids = flow.screens.map(({ id }) => id);
    for (const [at, id] of ids.entries())
      if (ids.indexOf(id) < at)
        context.addIssue({ code: 'custom', path: ['screens', at, 'id'], message: 'is given twice' });
    if (ids.length > 0 && !flow.screens.some(({ terminal }) => terminal))
      context.addIssue({ code: 'custom', path: ['screens'], message: 'must have a terminal screen' });
    for (const { path, message } of routeFaults(flow)) context.addIssue({ code: 'custom', path, message });
  });
export type FlowJson = z.output<typeof shape>;

/**
 * The JSON as the platform takes it. The version of the data exchange belongs to a flow that asks an endpoint, which is one with a
 * routing model: without one the platform refuses it (Flow JSON, data_api_version).
 */
export const uploadedJson = ({ data_api_version, routing_model, ...rest }: FlowJson): string =>
  JSON.stringify({
    ...rest,
    ...(routing_model && Object.keys(routing_model).length > 0 ? { data_api_version, routing_model } : {}),
  });

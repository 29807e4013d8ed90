import * as z from 'zod';

/** Default versions of the Flow JSON and its data exchange (docs/spec/whatsapp-flows.md#flow-json). */
const VERSION = '6.2';
const DATA_API_VERSION = '3.0';
/** Max. size of a flow's JSON in UTF-8 bytes. */
const MAX_JSON_BYTES = 100 * 1024;
const MAX_JSON_DEPTH = 64;

/** Why a JSON value cannot be stored as is, or undefined. */
const jsonError = (value: unknown, depth = 0): string | undefined => {
  if (depth > MAX_JSON_DEPTH) return 'is nested too deeply';
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return 'must not have the key __proto__';
  for (const inner of Object.values(value)) {
    const error = jsonError(inner, depth + 1);
    if (error) return error;
  }
  return undefined;
};

const object = z.record(z.string(), z.unknown());
/** Meta's rule for a screen id (Flow JSON, screens). SUCCESS is reserved. */
const screenId = z
  .string()
  .max(80)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must use letters, digits and _ only')
  .refine((id) => id !== 'SUCCESS', 'is reserved by Meta');

const screen = z.strictObject({
  id: screenId.meta({ description: 'The id of the screen.', example: 'DADOS' }),
  title: z.string().max(80).optional().meta({ description: 'The title of the screen.', example: 'Seus dados' }),
  terminal: z.boolean().optional().meta({ description: 'Whether the flow ends with this screen.', example: true }),
  success: z.boolean().optional().meta({ description: 'Whether ending on this screen is a success.', example: true }),
  refresh_on_back: z
    .boolean()
    .optional()
    .meta({ description: 'Whether going back to this screen requests its data again.' }),
  sensitive: z.array(z.string().max(200)).max(200).optional().meta({ description: 'Fields that are shown masked.' }),
  data: object.optional().meta({ description: 'The data that the screen receives, by name.' }),
  layout: z
    .strictObject({
      type: z.literal('SingleColumnLayout').meta({ description: 'The only layout that exists.' }),
      children: z.array(object).max(200).meta({ description: "Its components, in Meta's format." }),
    })
    .meta({ description: 'The content of the screen.' }),
});

/** The routing model: the screens that each screen may lead to. */
const routing = z.record(z.string().max(80), z.array(z.string().max(80)).max(200));

/** A flow's JSON as the API returns it. */
export const flowJsonShape = z
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
    routing_model: routing.optional().meta({ description: 'The screens that each screen may lead to.' }),
    screens: z.array(screen).min(1).max(100).meta({ description: 'The screens, in order.' }),
  })
  .meta({ id: 'FlowJson', description: "The screens of a flow, as Meta's Flow JSON." });

type Shape = z.output<typeof flowJsonShape>;
const routeErrors = ({
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

/**
 * Schema of a flow's JSON. Checks its structure; Meta validates the components of a screen's layout
 * (docs/spec/whatsapp-flows.md#flow-json).
 */
export const flowJsonSchema = z
  .preprocess((input, context) => {
    const error =
      jsonError(input) ?? (Buffer.byteLength(JSON.stringify(input) ?? '') > MAX_JSON_BYTES ? 'is too long' : undefined);
    if (error === undefined) return input;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  }, flowJsonShape)
  .superRefine((flow, context) => {
    const ids = flow.screens.map(({ id }) => id);
    for (const [at, id] of ids.entries())
      if (ids.indexOf(id) < at)
        context.addIssue({ code: 'custom', path: ['screens', at, 'id'], message: 'is given twice' });
    if (ids.length > 0 && !flow.screens.some(({ terminal }) => terminal))
      context.addIssue({ code: 'custom', path: ['screens'], message: 'must have a terminal screen' });
    for (const { path, message } of routeErrors(flow)) context.addIssue({ code: 'custom', path, message });
  });
export type FlowJson = z.output<typeof flowJsonShape>;

/**
 * The JSON as Meta accepts it. The data exchange version belongs to flows with an endpoint, which have a routing model; Meta rejects it on
 * others (Flow JSON, data_api_version).
 */
export const toMetaFlowJson = ({ data_api_version, routing_model, ...rest }: FlowJson): string =>
  JSON.stringify({
    ...rest,
    ...(routing_model && Object.keys(routing_model).length > 0 ? { data_api_version, routing_model } : {}),
  });

import * as z from 'zod';
import { RCS_ROUTES } from '../../../shared/domain/channels/rcs/content.ts';
import { SMS_ROUTES } from '../../../shared/domain/channels/sms/content.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import type { Channel } from '../../../shared/domain/message/channel.ts';
import { loadProviders, PROVIDER_CHANNELS } from '../../../shared/providers/index.ts';
import { readOrganization } from '../../../shared/storage/access/organizations.ts';
import { deleteProviderSettings, listProviderSettings, putRoutes } from '../../../shared/storage/access/providers.ts';
import { defineCommand, OperatorError } from '../command.ts';
import { env, environmentsOf, flag, id, nameList, optionalEnv, shortText } from '../options.ts';
import { saveProvider } from '../provider-settings.ts';
import { readJsonFile } from './money.ts';

const channel = z
  .enum(PROVIDER_CHANNELS, `must be one of ${PROVIDER_CHANNELS.join(', ')}`)
  .meta({ description: PROVIDER_CHANNELS.join(', ') });
const provider = shortText('a provider of the channel, as docs/providers.md names it');

/** The routes of channels with a closed list; other channels accept any route. */
const ROUTES: Readonly<Partial<Record<Channel, readonly string[]>>> = { sms: SMS_ROUTES, rcs: RCS_ROUTES };
const ALL_ROUTES = Object.values(ROUTES).flat().join(', ');

const checkRoute = (of: Channel, route: string): void => {
  const routes = ROUTES[of];
  if (routes && !routes.includes(route)) throw new OperatorError(`--route: must be one of ${routes.join(', ')}.`);
};

/** The adapter of a provider. Throws an OperatorError that lists the channel's adapters when there is none of that name. */
const requireProvider = async (of: Channel, name: string) => {
  const all = await loadProviders(of);
  const found = all.find((each) => each.name === name);
  if (!found)
    throw new OperatorError(
      `There is no adapter for ${name} on ${of}; there is ${all.map((each) => each.name).join(', ')}.`,
    );
  return found;
};

const inlineJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError('--settings: must be JSON');
  }
};

/** Parses settings by the provider's schema. The error names fields, never values, since they are credentials. */
const checkSettings = async (of: Channel, name: string, given: unknown): Promise<unknown> => {
  const { settings } = await requireProvider(of, name);
  try {
    return settings.parse(given);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const faults = error.issues.map(
      ({ path, code, message }) =>
        `${path.map(String).join('.') || 'the document'} ${code === 'unrecognized_keys' ? message : 'is missing or wrong'}`,
    );
    throw new OperatorError(`The settings of ${name} cannot be used: ${faults.join('; ')}.`);
  }
};

const providerSet = defineCommand({
  name: 'provider set',
  summary: 'Set up a provider of a stage; its settings are stored sealed and take effect within 10 seconds',
  options: z.object({
    env,
    channel,
    provider,
    file: shortText('a JSON file with the settings; - for standard input').optional(),
    settings: z.string().optional().meta({ description: 'the settings as JSON, instead of a file' }),
  }),
  run: async (target, { env: chosen, channel: of, provider: name, file, settings }) => {
    if ((file === undefined) === (settings === undefined)) throw new OperatorError('Give either --file or --settings.');
    const checked = await checkSettings(of, name, file === undefined ? inlineJson(settings ?? '') : readJsonFile(file));
    await saveProvider(target, chosen, { channel: of, name, settings: checked });
    return { data: { env: chosen, channel: of, provider: name } };
  },
});

const providerList = defineCommand({
  name: 'provider list',
  summary: 'List the providers that are set up, without their settings',
  options: z.object({ env: optionalEnv }),
  run: async ({ tables }, { env: chosen }) => {
    const lists = await Promise.all(
      environmentsOf(chosen).map(async (each) =>
        (await listProviderSettings(tables[each])).map(({ updatedAt, ...one }) => ({
          env: each,
          ...one,
          updatedAt: isoTime(updatedAt),
        })),
      ),
    );
    return { data: { items: lists.flat() } };
  },
});

const providerRemove = defineCommand({
  name: 'provider remove',
  summary: 'Remove a provider and its settings from a stage; `removed` is false if it was not set up',
  options: z.object({ env, channel, provider }),
  run: async ({ tables }, { env: chosen, channel: of, provider: name }) => {
    const removed = await deleteProviderSettings(tables[chosen], of, name);
    // Settings of an adapter that this version does not have can still be removed.
    if (!removed) await requireProvider(of, name);
    return { data: { env: chosen, channel: of, provider: name, removed } };
  },
});

const routesSet = defineCommand({
  name: 'routes set',
  summary: 'Set the providers of a route in order, for one organization or by default',
  options: z.object({
    organization: id('organization', 'the organization (org_…); or --default').optional(),
    default: flag('for every organization without an order of its own'),
    channel,
    route: shortText(`a route of the channel: ${ALL_ROUTES}`),
    providers: nameList('providers in their order, separated by commas'),
    env: env.default('live').meta({ description: 'live or test (default live)' }),
  }),
  run: async ({ tables }, { organization, default: forAll, channel: of, route, providers, env: chosen }) => {
    if ((organization === undefined) === (forAll !== true))
      throw new OperatorError('Give either --organization or --default.');
    checkRoute(of, route);
    for (const name of providers) await requireProvider(of, name);
    if (organization && !(await readOrganization(tables[chosen], organization)))
      throw new OperatorError('There is no such organization here.');
    await putRoutes(tables[chosen], {
      channel: of,
      route,
      providers,
      ...(organization ? { organizationId: organization } : {}),
    });
    return { data: { env: chosen, organization: organization ?? 'default', channel: of, route, providers } };
  },
});

/** Providers and routes. */
export const PROVIDER_COMMANDS = [providerSet, providerList, providerRemove, routesSet];

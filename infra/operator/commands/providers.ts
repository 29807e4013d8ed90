import * as z from 'zod';
import type { Channel } from '../../../shared/domain/messages/provider.ts';
import { RCS_ROUTES } from '../../../shared/domain/rcs/content.ts';
import { SMS_ROUTES } from '../../../shared/domain/sms/provider.ts';
import { loadProviders, PROVIDER_CHANNELS } from '../../../shared/providers/index.ts';
import { readOrganization } from '../../../shared/storage/access.ts';
import { deleteProviderSettings, putProviderSettings, putRoutes } from '../../../shared/storage/providers.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { defineCommand, OperatorError } from '../command.ts';
import { env, environmentsOf, id, names, someEnv, words } from '../options.ts';
import { readJsonFile } from './money.ts';

const channel = z
  .enum(PROVIDER_CHANNELS, `must be one of ${PROVIDER_CHANNELS.join(', ')}`)
  .meta({ description: PROVIDER_CHANNELS.join(', ') });
const provider = words('a provider of the channel, as docs/providers.md names it');

/** The routes of the channels that have a closed list of them; another channel's are taken as they come. */
const ROUTES: Readonly<Partial<Record<Channel, readonly string[]>>> = { sms: SMS_ROUTES, rcs: RCS_ROUTES };
const ALL_ROUTES = Object.values(ROUTES).flat().join(', ');

const checkRoute = (of: Channel, route: string): void => {
  const routes = ROUTES[of];
  if (routes && !routes.includes(route)) throw new OperatorError(`--route: must be one of ${routes.join(', ')}.`);
};

/** A registered provider of a channel; the fault of an unknown one names those that there are. */
const registered = async (of: Channel, name: string) => {
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

/** The settings in the provider's own words, checked by its schema. The fault names fields, never their values: they are credentials. */
const checkSettings = async (of: Channel, name: string, given: unknown): Promise<unknown> => {
  const { settings } = await registered(of, name);
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
    file: words('a JSON file with the settings; - for standard input').optional(),
    settings: z.string().optional().meta({ description: 'the settings as JSON, instead of a file' }),
  }),
  run: async (target, { env: chosen, channel: of, provider: name, file, settings }) => {
    if ((file === undefined) === (settings === undefined))
      throw new OperatorError('Give the settings once: --file or --settings.');
    const checked = await checkSettings(of, name, file === undefined ? inlineJson(settings ?? '') : readJsonFile(file));
    await putProviderSettings(target.tables[chosen], await target.vault(chosen), {
      channel: of,
      name,
      settings: checked,
      now: Date.now(),
    });
    return { data: { env: chosen, channel: of, provider: name } };
  },
});

const PREFIX = 'PROVIDER#';
const listed = z.object({ sk: z.string(), updatedAt: z.string() });

/** Which providers a stage has settings of; what they hold stays sealed. */
const listProviders = async (table: Table) => {
  const { rows } = await table.query({
    partition: 'SETTINGS',
    sort: { text: 'begins_with(#sk, :prefix)', values: { prefix: PREFIX } },
    consistent: true,
  });
  return rows.map((row) => {
    const { sk, updatedAt } = listed.parse(row);
    const [of, name] = sk.slice(PREFIX.length).split('#');
    return { channel: of, provider: name, updatedAt };
  });
};

const providerList = defineCommand({
  name: 'provider list',
  summary: 'List the providers that are set up, without their settings',
  options: z.object({ env: someEnv }),
  run: async ({ tables }, { env: chosen }) => {
    const lists = await Promise.all(
      environmentsOf(chosen).map(async (each) =>
        (await listProviders(tables[each])).map((one) => ({ env: each, ...one })),
      ),
    );
    return { data: { items: lists.flat() } };
  },
});

const providerRemove = defineCommand({
  name: 'provider remove',
  summary: 'Take a provider away from a stage, with its settings',
  options: z.object({ env, channel, provider }),
  run: async ({ tables }, { env: chosen, channel: of, provider: name }) => {
    await deleteProviderSettings(tables[chosen], of, name);
    return { data: { env: chosen, channel: of, provider: name, removed: true } };
  },
});

const routesSet = defineCommand({
  name: 'routes set',
  summary: 'Set which providers carry a route, in which order: for one organization, or by default',
  options: z.object({
    organization: id('organization', 'the organization (org_…); or --default').optional(),
    default: z.boolean().optional().meta({ description: 'for every organization that has no order of its own' }),
    channel,
    route: words(`a route of the channel: ${ALL_ROUTES}`),
    providers: names('providers in their order, separated by commas'),
    env: env.default('live').meta({ description: 'live or test (default live)' }),
  }),
  run: async ({ tables }, { organization, default: forAll, channel: of, route, providers, env: chosen }) => {
    if ((organization === undefined) === (forAll !== true))
      throw new OperatorError('Say for whom once: --organization or --default.');
    checkRoute(of, route);
    for (const name of providers) await registered(of, name);
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

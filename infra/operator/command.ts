import { Command, CommanderError } from 'commander';
import * as z from 'zod';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { readOrganization } from '../../shared/storage/access/organizations.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { openTarget, type TargetLocation } from './open-target.ts';
import { type CommandResult, printFailure, printResult } from './output.ts';
import type { Target } from './target.ts';

/** A usage error, or a refusal by a domain rule: shown as its message, without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The value of an outcome. Throws an OperatorError for a refusal. */
export const orThrow = <T>(outcome: T | Refusal): T => {
  if (!isRefusal(outcome)) return outcome;
  const errors = outcome.details.errors?.map(({ path, message }) => ` ${path} ${message}.`).join('') ?? '';
  throw new OperatorError(`${outcome.details.detail}${errors}`);
};

/** Throws an OperatorError for a missing object. */
export const assertFound = (exists: boolean, what: string): void => {
  if (!exists) throw new OperatorError(`There is no such ${what} here.`);
};

/** Throws an OperatorError unless the table has the organization. */
export const requireOrganization = async (table: Table, organizationId: Id<'organization'>): Promise<void> =>
  assertFound((await readOrganization(table, organizationId)) !== undefined, 'organization');

/** One command. Its options are a Zod schema, from which help, parsing and the types of `run` are derived. */
export interface OperatorCommand<S extends z.ZodObject = z.ZodObject> {
  /** `<noun> <verb>`. */
  readonly name: `${string} ${string}`;
  readonly summary: string;
  /** Each key is an option, in kebab case; its description is the help text. A boolean is a flag. */
  readonly options: S;
  run(target: Target, options: z.output<S>): Promise<CommandResult>;
}

/** Declares a command; `run` receives its parsed options. */
export const defineCommand = <S extends z.ZodObject>(command: OperatorCommand<S>): OperatorCommand =>
  command as unknown as OperatorCommand;

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The help text of an option, also under `optional` and `default` wrappers. */
const helpOf = (schema: z.ZodType): string => {
  const own = schema.meta()?.description;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? helpOf(schema.unwrap() as z.ZodType) : '';
};

const addOption = (command: Command, name: string, schema: z.ZodType): void => {
  const flag = `--${kebab(name)}`;
  const optional = schema.safeParse(undefined).success;
  const isSwitch = optional && schema.safeParse(true).success && !schema.safeParse('text').success;
  const description = helpOf(schema);
  if (isSwitch) command.option(flag, description);
  else if (optional) command.option(`${flag} <value>`, description);
  else command.requiredOption(`${flag} <value>`, description);
};

interface Globals {
  readonly json?: boolean;
  readonly dataDir?: string;
  readonly deployed?: boolean;
  readonly stagePrefix?: string;
}

/**
 * Where the command works: on the deployed stages with `--deployed` or `--stage-prefix`, else on a local data directory. Throws an
 * OperatorError if both are named.
 */
const locationOf = ({ deployed, stagePrefix, dataDir }: Globals): TargetLocation => {
  const isDeployed = deployed === true || stagePrefix !== undefined;
  if (isDeployed && dataDir !== undefined)
    throw new OperatorError('Give either --data-dir, or --deployed or --stage-prefix.');
  return isDeployed
    ? { kind: 'deployed', stagePrefix: stagePrefix ?? 'Messaging' }
    : { kind: 'local', dataDir: dataDir ?? (process.env.DATA_DIR || '.local') };
};

/** Throws an OperatorError for an option without text: an unset shell variable must not select the default instead. */
const refuseEmpty = (given: Readonly<Record<string, unknown>>): void => {
  const empty = Object.keys(given).filter((name) => typeof given[name] === 'string' && given[name].trim() === '');
  if (empty.length > 0) throw new OperatorError(empty.map((name) => `--${kebab(name)}: must not be empty`).join('; '));
};

const parseOptions = (schema: z.ZodObject, given: Record<string, unknown>) => {
  const own = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, given[name]]));
  const parsed = schema.safeParse(own);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `--${kebab(String(path[0]))}: ${message}` : message,
  );
  throw new OperatorError(faults.join('; '));
};

const runCommand = async (command: OperatorCommand, given: Record<string, unknown> & Globals): Promise<void> => {
  refuseEmpty(given);
  const location = locationOf(given);
  const options = parseOptions(command.options, given);
  const target = await openTarget(location);
  try {
    printResult(await command.run(target, options), given.json === true);
  } finally {
    await target.close();
  }
};

const GROUPS: Readonly<Record<string, string>> = {
  archive: 'Archived rows',
  audit: 'Who changed what',
  account: 'The people of an organization',
  key: 'API keys',
  organization: 'Organizations: the customers of the service',
  prices: 'The price table',
  provider: 'Providers and their credentials',
  queue: 'Queues and their dead letters',
  routes: 'The providers of a route, in order',
  session: "A person's sessions",
  suppression: 'Suppressed e-mail addresses',
  table: 'The table of a stage',
  wallet: 'Prepaid wallets',
  webhook: 'Webhook subscriptions',
  work: 'Work that failed for hours and was set aside',
};

/** The command-line program. */
const makeProgram = (commands: readonly OperatorCommand[]): Command => {
  const program = new Command('admin')
    .description("The operator's command line: on a data directory of this machine, or on a deployed stage.")
    .option('--json', 'print one JSON document')
    .option('--data-dir <folder>', 'the data directory (default: DATA_DIR, else .local)')
    .option('--deployed', 'work on the stages deployed in the AWS account of the current credentials')
    .option('--stage-prefix <text>', 'the prefix of the deployed stacks (default: Messaging); implies --deployed')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const groups = new Map<string, Command>();
  for (const command of commands) {
    const [area = '', verb = ''] = command.name.split(' ');
    const group = groups.get(area) ?? program.command(area).description(GROUPS[area] ?? '');
    groups.set(area, group);
    const own = group.command(verb).description(command.summary);
    for (const [name, schema] of Object.entries(command.options.shape)) addOption(own, name, schema as z.ZodType);
    own.action(() => runCommand(command, own.optsWithGlobals()));
  }
  return program;
};

/** Runs the program with its arguments. Returns the exit code: 0, or 1 with the reason on stderr. */
export const runProgram = async (commands: readonly OperatorCommand[], args: readonly string[]): Promise<number> => {
  try {
    await makeProgram(commands).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help')
      return printFailure('Name a command; `--help` lists them.', args.includes('--json'));
    return printFailure(error, args.includes('--json'));
  }
};

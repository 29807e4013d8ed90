import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Environment } from '../../../shared/domain/core/actor.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { zodErrorMap } from '../../../shared/domain/core/zod-error-map.ts';
import { DEFAULT_PRICES } from '../../../shared/domain/pricing/default-prices.ts';
import { type PriceTable, PriceTableSchema, priceRowOf } from '../../../shared/domain/pricing/prices.ts';
import type { Table } from '../../../shared/storage/client/table.ts';
import { putPrices, readPrices } from '../../../shared/storage/wallet/prices.ts';
import { CreditKeyUsed, creditWallet } from '../../../shared/storage/wallet/wallet.ts';
import type { Tables } from '../../provisioning/organizations.ts';
import { defineCommand, OperatorError, requireOrganization } from '../command.ts';
import { env, environmentsOf, flag, optionalEnv, organization, shortText, timestamp, wholeNumber } from '../options.ts';

/** Reads a JSON file, or standard input for `-`. Throws an OperatorError that names the file but never its content (credentials). */
export const readJsonFile = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new OperatorError(`The file ${file} ${why}.`);
  }
};

/** Names the key of a credit that was not made, since it credited another amount before. */
const asOperatorError = (error: unknown, key: string | undefined): unknown =>
  error instanceof CreditKeyUsed
    ? new OperatorError(`--idempotency-key: ${key} has credited ${error.credited} coins before. Nothing was credited.`)
    : error;

const walletCredit = defineCommand({
  name: 'wallet credit',
  summary: "Credit an organization's wallet",
  options: z.object({
    organization,
    env,
    coins: wholeNumber(1, 'how many coins; 1 coin = R$ 0.0001'),
    description: shortText('description of the ledger entry').default('Credit by the operator'),
    idempotencyKey: shortText('a repeat with the same key and coins credits nothing').optional(),
  }),
  run: async ({ tables }, { organization, env: chosen, idempotencyKey, ...credit }) => {
    await requireOrganization(tables[chosen], organization);
    const once = idempotencyKey === undefined ? {} : { idempotencyKey };
    const { balanceCoins } = await creditWallet(tables[chosen], {
      organizationId: organization,
      env: chosen,
      now: Date.now(),
      ...credit,
      ...once,
    }).catch((error: unknown) => {
      throw asOperatorError(error, idempotencyKey);
    });
    return { data: { balanceCoins } };
  },
});

const pricesShow = defineCommand({
  name: 'prices show',
  summary: 'Show the price table in force',
  options: z.object({ env: env.default('live').meta({ description: 'live or test (default live)' }) }),
  run: async ({ tables }, { env: chosen }) => {
    const { effectiveFrom, table } = await readPrices(tables[chosen], Date.now());
    return { data: { effectiveFrom, items: table } };
  },
});

const MAX_NAMED = 10;

/** Routes and destinations of the default prices that the table has no row for: sends there would be refused. */
const unpriced = (table: PriceTable): readonly string[] =>
  DEFAULT_PRICES.flatMap(({ channel, route, prefix }) => {
    const to = prefix === undefined ? undefined : { digits: prefix, callingCode: '', sharesRevenue: false };
    if (priceRowOf(table, channel, route, to)) return [];
    const isSold = table.some((row) => row.channel === channel && row.route === route);
    return isSold && prefix !== undefined ? `${channel} ${route} +${prefix}` : `${channel} ${route}`;
  });

/** The first of many names, and how many more there are. */
const nameSome = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`;

/** Throws an OperatorError for a start before that of the table in force, which such a table would never replace. */
const refuseOverruled = async (tables: Tables, env: Environment, effectiveFrom: string): Promise<void> => {
  const inForce = await readPrices(tables[env], Date.now());
  if (effectiveFrom < inForce.effectiveFrom)
    throw new OperatorError(
      `--effective-from: the table in force in ${env} began at ${inForce.effectiveFrom}, so that one from an earlier time would never apply.`,
    );
};

/** A time (ms) after every start of a price table. */
const END = Date.parse('9999-12-31T23:59:59.999Z');

/** The start of the next table after a time (ISO); undefined if none is scheduled. A query for each table that is. */
const nextStart = async (table: Table, after: string): Promise<string | undefined> => {
  let next: string | undefined;
  for (let at = END; ; at = Date.parse(next) - 1) {
    const { effectiveFrom } = await readPrices(table, at);
    if (effectiveFrom <= after) return next;
    next = effectiveFrom;
  }
};

const pricesSet = defineCommand({
  name: 'prices set',
  summary: 'Set the whole price table from a time on, until that of the next one that is scheduled',
  options: z.object({
    file: shortText('a JSON file with the rows that `prices show --json` prints as items; - for standard input'),
    effectiveFrom: timestamp('start time (ISO 8601; default now)').optional(),
    env: optionalEnv,
    partial: flag('accept that routes and destinations without a row are refused'),
  }),
  run: async ({ tables }, { file, effectiveFrom = Date.now(), env: chosen, partial }) => {
    const read = readJsonFile(file);
    const rows = z.object({ items: z.unknown() }).safeParse(read);
    const parsed = PriceTableSchema.safeParse(rows.success ? rows.data.items : read, { error: zodErrorMap });
    if (!parsed.success)
      throw new OperatorError(`The file ${file} is not a price table: ${z.prettifyError(parsed.error)}`);
    const missing = [...new Set(unpriced(parsed.data))];
    if (missing.length > 0 && !partial)
      throw new OperatorError(
        `The file ${file} has no row for ${nameSome(missing)}: sends there would be refused. Add them, or use --partial.`,
      );
    const [environments, from] = [environmentsOf(chosen), isoTime(effectiveFrom)];
    for (const each of environments) await refuseOverruled(tables, each, from);
    for (const each of environments) await putPrices(tables[each], from, parsed.data);
    const ends = await Promise.all(
      environments.map(async (each) => [each, await nextStart(tables[each], from)] as const),
    );
    const until = Object.fromEntries(ends.filter(([, end]) => end !== undefined));
    return {
      data: { effectiveFrom: from, environments, rows: parsed.data.length, until },
      ...(Object.keys(until).length > 0 ? { note: 'Another table is scheduled, and replaces this one then.' } : {}),
    };
  },
});

/** Wallets and prices. */
export const MONEY_COMMANDS = [walletCredit, pricesShow, pricesSet];

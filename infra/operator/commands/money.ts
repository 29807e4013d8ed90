import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { zodErrorMap } from '../../../shared/domain/core/zod-error-map.ts';
import { DEFAULT_PRICES } from '../../../shared/domain/pricing/default-prices.ts';
import { type PriceTable, PriceTableSchema, priceRowOf } from '../../../shared/domain/pricing/prices.ts';
import { putPrices, readPrices } from '../../../shared/storage/wallet/prices.ts';
import { creditWallet } from '../../../shared/storage/wallet/wallet.ts';
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

const walletCredit = defineCommand({
  name: 'wallet credit',
  summary: "Credit an organization's wallet",
  options: z.object({
    organization,
    env,
    coins: wholeNumber(1, 'how many coins; 1 coin = R$ 0.0001'),
    description: shortText('description of the ledger entry').default('Credit by the operator'),
    idempotencyKey: shortText('a repeat with the same key credits nothing').optional(),
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

const pricesSet = defineCommand({
  name: 'prices set',
  summary: 'Set the whole price table from a time on',
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
    for (const each of environmentsOf(chosen)) await putPrices(tables[each], isoTime(effectiveFrom), parsed.data);
    return {
      data: { effectiveFrom: isoTime(effectiveFrom), environments: environmentsOf(chosen), rows: parsed.data.length },
    };
  },
});

/** Wallets and prices. */
export const MONEY_COMMANDS = [walletCredit, pricesShow, pricesSet];

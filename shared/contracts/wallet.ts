import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { ENTRY_KINDS } from '../domain/wallet/wallet.ts';
import { closedObject, coins, count, cursor, dateTime, environment, openObject, optionalText, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

/** A volume band: units `from` to `upTo` of the month cost `coins` each; `upTo` is null in the last band. */
export const VolumeBand = openObject(
  'VolumeBand',
  "A volume band: its price applies to a range of the month's live segments (America/Sao_Paulo).",
  {
    index: count('The position of the band, from 0.', 0),
    from: z.int().min(1).meta({ description: 'The first segment of the month in this band.', example: 1 }),
    upTo: z
      .int()
      .nullable()
      .meta({ description: 'The last segment in this band; null when it has no end.', example: 100_000 }),
    coins: coins('The price of one segment.'),
  },
);

export const Wallet = openObject('Wallet', 'The prepaid wallet of the environment.', {
  env: environment,
  balanceCoins: coins('The available balance: credits less captures less holds.'),
  heldCoins: coins('The coins held for messages in progress.'),
  currency: z.literal('BRL').meta({ description: 'The currency behind the coins.' }),
  coinValue: z.literal('0.0001').meta({ description: 'What one coin is worth, in the currency.' }),
  lowBalanceCoins: coins(
    'Below this balance wallet.low_balance is raised, once until a credit raises the balance above it.',
  ),
  bands: z
    .array(
      z.object({
        channel: text('The channel.', 'sms'),
        route: text('The route.', 'premium'),
        month: text('The month in São Paulo, YYYYMM.', '202603'),
        segments: z.int().meta({ description: 'Live segments counted in the month.', example: 0 }),
        band: VolumeBand,
      }),
    )
    .meta({ description: 'The band of the next segment of each route.' }),
});

export const WalletEntry = openObject('WalletEntry', 'A ledger entry.', {
  id: idSchema('entry'),
  kind: z
    .enum(ENTRY_KINDS)
    .meta({ description: 'The kind of movement: a hold is negative, a capture 0, a release positive.' }),
  coins: coins('The signed movement; the sum of all is the balance.'),
  balanceCoins: coins('The balance after this entry.'),
  heldCoins: coins('The held coins after this entry.'),
  messageId: idSchema('message').optional(),
  batchId: optionalText('The batch that the entry belongs to, if any.'),
  description: optionalText('A description for people.', 'Opening credit'),
  createdAt: dateTime('When the entry was made.'),
});

const uses = { table: 'read', liveVolume: true } as const;

const reads = { tag: 'Wallet', permission: 'wallet:read', uses: { table: 'read' } } as const;

export const getWallet = defineOperation({
  ...reads,
  id: 'wallet.get',
  route: 'GET /v2/wallet',
  summary: 'Read the wallet',
  answer: Wallet,
  uses,
});

export const changeWallet = defineOperation({
  id: 'wallet.change',
  route: 'PATCH /v2/wallet',
  tag: 'Wallet',
  summary: 'Set the low-balance threshold',
  permission: 'wallet:write',
  body: closedObject('WalletChange', 'What to change.', {
    lowBalanceCoins: coins('The new threshold; 0 turns the event off.').min(0),
  }),
  answer: Wallet,
  errors: ['VALIDATION_ERROR'],
  uses: { ...uses, table: 'write' },
});

export const listWalletEntries = defineOperation({
  ...reads,
  id: 'wallet.list-entries',
  route: 'GET /v2/wallet/entries',
  summary: 'List the ledger, newest first',
  query: z.strictObject({
    cursor,
    limit: z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.int().min(1).max(200))
      .default(50)
      .meta({ description: 'Maximum number of entries: 1 to 200; 50 when absent.', example: '50' }),
  }),
  answer: openObject('WalletEntryPage', 'A page of the ledger.', {
    items: z.array(WalletEntry).meta({ description: 'The entries of this page.' }),
    nextCursor: z.string().nullable().meta({ description: 'Pass it as cursor for the next page; null at the end.' }),
  }),
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const listPrices = defineOperation({
  ...reads,
  id: 'prices.list',
  route: 'GET /v2/prices',
  summary: 'Read the price table in force',
  answer: openObject('PriceTable', 'The prices per unit.', {
    effectiveFrom: dateTime('When this table came into force.'),
    items: z
      .array(
        z.object({
          channel: text('The channel.', 'sms'),
          route: text('The route, or the kind of price where the channel has no routes.', 'premium'),
          unit: z
            .enum(['segment', 'message', 'recipient', 'device', 'reply'])
            .meta({ description: 'The unit that a price applies to.' }),
          prefix: optionalText(
            'The first digits of the phone numbers that the row prices, without the plus; of several matching rows the longest applies. Absent: every recipient.',
            '55',
          ),
          bands: z.array(VolumeBand).min(1).meta({ description: 'The price bands; one if the price is fixed.' }),
        }),
      )
      .meta({ description: 'A row per channel, route and prefix.' }),
  }),
});

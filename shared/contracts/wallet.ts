import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { ENTRY_KINDS } from '../domain/wallet/wallet.ts';
import { coins, dateTime, environment } from './common.ts';
import { defineOperation } from './define-operation.ts';

/** A volume band: units `from` to `upTo` of the month cost `coins` each; `upTo` is null in the last band. */
export const VolumeBand = z
  .object({
    index: z.int().min(0).meta({ description: 'The position of the band, from 0.', example: 0 }),
    from: z.int().min(1).meta({ description: 'The first segment of the month in this band.', example: 1 }),
    upTo: z
      .int()
      .nullable()
      .meta({ description: 'The last segment in this band; null when it has no end.', example: 100_000 }),
    coins: coins('The price of one segment.'),
  })
  .meta({ id: 'VolumeBand', description: "A step of the price by the live month's segments (America/Sao_Paulo)." });

export const Wallet = z
  .object({
    env: environment,
    balanceCoins: coins('What can be spent: credits less captured less held.'),
    heldCoins: coins('What is held for messages under way.'),
    currency: z.literal('BRL').meta({ description: 'The currency behind the coins.' }),
    coinValue: z.literal('0.0001').meta({ description: 'What one coin is worth, in the currency.' }),
    lowBalanceCoins: coins('Below this balance wallet.low_balance is raised, once until a credit lifts it again.'),
    bands: z
      .array(
        z.object({
          channel: z.string().meta({ description: 'The channel.', example: 'sms' }),
          route: z.string().meta({ description: 'The route.', example: 'premium' }),
          month: z.string().meta({ description: 'The month in São Paulo, YYYYMM.', example: '202603' }),
          segments: z.int().meta({ description: 'Live segments counted in the month.', example: 0 }),
          band: VolumeBand,
        }),
      )
      .meta({ description: 'The band that the next segment of each route falls into.' }),
  })
  .meta({ id: 'Wallet', description: 'The prepaid wallet of the environment.' });

export const WalletEntry = z
  .object({
    id: idSchema('entry'),
    kind: z.enum(ENTRY_KINDS).meta({ description: 'What moved: a hold is negative, a capture 0, a release positive.' }),
    coins: coins('The signed movement; the sum of all is the balance.'),
    balanceCoins: coins('The balance after this entry.'),
    heldCoins: coins('What is held after this entry.'),
    messageId: idSchema('message').optional(),
    batchId: z.string().optional().meta({ description: 'The batch, when the entry is of one.' }),
    description: z.string().optional().meta({ description: 'In words.', example: 'Opening credit' }),
    createdAt: dateTime('When it moved.'),
  })
  .meta({ id: 'WalletEntry', description: 'One line of the ledger.' });

const uses = { table: 'read', liveVolume: true } as const;

export const getWallet = defineOperation({
  id: 'wallet.get',
  method: 'GET',
  path: '/v2/wallet',
  tag: 'Wallet',
  summary: 'Read the wallet',
  permission: 'wallet:read',
  request: {},
  responses: { 200: Wallet },
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  uses,
});

export const changeWallet = defineOperation({
  id: 'wallet.change',
  method: 'PATCH',
  path: '/v2/wallet',
  tag: 'Wallet',
  summary: 'Set the low-balance threshold',
  permission: 'wallet:write',
  request: {
    body: z
      .strictObject({ lowBalanceCoins: coins('The new threshold; 0 turns the event off.').min(0) })
      .meta({ id: 'WalletChange', description: 'What to change.' }),
  },
  responses: { 200: Wallet },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_ERROR'],
  uses: { ...uses, table: 'write' },
});

export const listWalletEntries = defineOperation({
  id: 'wallet.list-entries',
  method: 'GET',
  path: '/v2/wallet/entries',
  tag: 'Wallet',
  summary: 'List the ledger, newest first',
  permission: 'wallet:read',
  request: {
    query: z.strictObject({
      cursor: z.string().max(2048).optional().meta({ description: "The previous page's nextCursor." }),
      limit: z
        .string()
        .regex(/^\d{1,3}$/, 'must be a whole number')
        .transform(Number)
        .pipe(z.int().min(1).max(200))
        .default(50)
        .meta({ description: 'How many entries at most: 1 to 200; 50 when absent.', example: '50' }),
    }),
  },
  responses: {
    200: z
      .object({
        items: z.array(WalletEntry).meta({ description: 'The entries of this page.' }),
        nextCursor: z
          .string()
          .nullable()
          .meta({ description: 'Pass it as cursor for the next page; null at the end.' }),
      })
      .meta({ id: 'WalletEntryPage', description: 'A page of the ledger.' }),
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read', vault: true },
});

export const listPrices = defineOperation({
  id: 'prices.list',
  method: 'GET',
  path: '/v2/prices',
  tag: 'Wallet',
  summary: 'Read the price table in force',
  permission: 'wallet:read',
  request: {},
  responses: {
    200: z
      .object({
        effectiveFrom: dateTime('Since when this table is in force.'),
        items: z
          .array(
            z.object({
              channel: z.string().meta({ description: 'The channel.', example: 'sms' }),
              route: z.string().meta({
                description: 'The route, or the rate kind where the channel has no routes.',
                example: 'premium',
              }),
              unit: z
                .enum(['segment', 'message', 'recipient', 'device', 'reply'])
                .meta({ description: 'What one price is for.' }),
              bands: z.array(VolumeBand).min(1).meta({ description: 'The steps of the price; one when it is fixed.' }),
            }),
          )
          .meta({ description: 'A row per channel and route.' }),
      })
      .meta({ id: 'PriceTable', description: 'What each unit costs.' }),
  },
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read' },
});

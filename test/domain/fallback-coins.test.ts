import { expect, test } from 'vitest';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { fallbackCoinsOf } from '../../shared/domain/sending/draft.ts';

const accepted = (detail: string): MessageRecord['decisions'] => [{ at: 0, kind: 'accepted', detail }];
const coinsOf = (fields: Pick<MessageRecord, 'decisions' | 'fallbackCoins'>) =>
  fallbackCoinsOf(fields as MessageRecord);

test('the prices of the fallbacks are the stored ones, whatever the text of the decision says', () => {
  expect(coinsOf({ fallbackCoins: [1_200, 0], decisions: accepted('contact=named fallbacks=rcs@7') })).toEqual([
    1_200, 0,
  ]);
});

test('a message without stored prices has those of its decision’s text; one without fallbacks has none', () => {
  expect(coinsOf({ decisions: accepted('contact=named band=0 fallbacks=rcs@1200,email@30') })).toEqual([1_200, 30]);
  expect(coinsOf({ decisions: accepted('contact=named band=0') })).toEqual([]);
});

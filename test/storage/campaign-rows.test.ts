import { expect, test } from 'vitest';
import type { Drive } from '../../shared/domain/campaigns/campaign.ts';
import { campaignRows } from '../../shared/storage/campaigns/campaign-rows.ts';

const KEY = { pk: 'CMP#cmp_1', sk: 'CMP' };
const SAME = {
  snapshot: 'abc',
  chunks: [1, 2],
  total: 3,
  portions: 4,
  portionedTo: 5,
  portioned: false,
  paced: 6,
  pacedFrom: 7,
  epoch: 8,
  lastSent: 10,
  lastSentAt: 11,
};
const DRIVE: Drive = { ...SAME, portionsInEpoch: 9, counterSum: 12, counterSumAt: 13, nextCheckAt: 14 };
/** As every version of the service has written it. */
const STORED = { ...SAME, told: 9, moves: 12, movedAt: 13, lookAt: 14 };

test("reads and writes a campaign's drive under the names that its rows have", () => {
  expect(campaignRows.set({ drive: DRIVE })).toEqual({ drive: STORED });
  expect(campaignRows.pick('drive')({ ...KEY, drive: STORED })).toEqual({ drive: DRIVE });
});

test('reads the drive of a campaign that was never checked', () => {
  const { lookAt: _, ...stored } = STORED;
  expect(campaignRows.pick('drive')({ ...KEY, drive: stored })).toEqual({ drive: { ...DRIVE, nextCheckAt: 0 } });
});

import { expect, it } from 'vitest';
import { knownError } from '../../../shared/providers/meta/answers.ts';
import { CLOUD_API_ERRORS, failureOf } from '../../../shared/providers/whatsapp/cloud-api-codes.ts';

/** The published error codes by their meaning: never sent and why, or ambiguous. */
it.each([
  ['credentials', [0, 3, 10, 190, 200, 299, 131005]],
  ['throttled', [4, 80007, 130429, 131048, 131056, 132069]],
  ['sender', [33, 368, 130497, 131031, 131037, 131045, 131063, 131064, 133006, 133010, 134011]],
  ['recipient', [130403, 130472, 131021, 131026, 131030, 131047, 131049]],
  ['blacklisted', [131050]],
  ['credit', [131042]],
  ['unavailable', [131057, 2494100]],
  ['content', [100, 131008, 131009, 131051, 131052, 131053, 132001, 132007, 132015, 132016, 132068, 135000]],
  ['content', [132000, 132005, 132012, 132018]],
  ['ambiguous', [1, 2, 131000, 131016, 133004]],
] as const)('has the cause %s for the codes %s', (cause, codes) => {
  for (const code of codes) expect([code, knownError(CLOUD_API_ERRORS, { code })?.cause]).toEqual([code, cause]);
});

it.each([
  [132000, 'invalid_template_variable'],
  [131047, 'window_closed'],
  [131049, 'undeliverable'],
  [131050, 'blacklisted'],
  [132001, 'content_rejected'],
  [131021, 'invalid_recipient'],
  [135000, 'content_rejected'],
  [424242, 'undeliverable'],
])('code %i fails an accepted message with the reason %s', (code, reason) => {
  expect(failureOf(code)).toMatchObject({ reason, description: expect.stringMatching(new RegExp(`^${code}`)) });
});

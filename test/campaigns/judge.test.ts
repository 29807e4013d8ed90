import { describe, expect, test } from 'vitest';
import { BATCH_UNDECIDED } from '../../shared/domain/bulk/prepare.ts';
import { judge, judgeRefusal } from '../../shared/domain/campaigns/judge.ts';
import { windowRefusal } from '../../shared/domain/channels/meta/window.ts';
import { type Refusal, refuse } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import {
  consentRefusal,
  exceedsMaxCoins,
  KEY_IN_PROGRESS,
  NO_FUNDS,
  RATE_EXCEEDED,
  REUSED_KEY,
  sentBefore,
} from '../../shared/domain/sending/refusals.ts';

const NOW = 1_800_000_000_000;
const HOUR_MS = 3600_000;
const UNTIL = NOW + 72 * HOUR_MS;
const cappedUntil = (at: number) =>
  refuse('PRECONDITION_FAILED', { detail: 'Capped.', meta: { motivo: 'frequency_cap', freeAt: isoTime(at) } });
const invalid = (path: string) =>
  refuse('VALIDATION_ERROR', { detail: 'Invalid.', errors: [{ path, message: 'is wrong' }] });
const judged = (refusal: Refusal) => judgeRefusal(refusal, NOW, UNTIL);

describe('a refused recipient', () => {
  test.each([
    ['opted out', consentRefusal('opted_out'), 'opt_out'],
    ['was erased', consentRefusal('unknown_contact'), 'invalid_request'],
    ['is outside the window of its channel', windowRefusal('whatsapp', NOW, undefined, false), 'window_closed'],
    ['would cost more than the message may', exceedsMaxCoins(10), 'precondition_failed'],
    [
      'has a number without a price',
      refuse('PRECONDITION_FAILED', { detail: 'No price.', meta: { motivo: 'destination_not_priced' } }),
      'destination_not_priced',
    ],
    ['was sent to long ago', sentBefore(newId('message')), 'sent_before'],
    ['meets a conflict that concerns no template', REUSED_KEY, 'conflict'],
    ['has an invalid address', invalid('to'), 'invalid_request'],
    ['has no device', refuse('VALIDATION_ERROR', { detail: 'No device.', v1Code: 'invalid_recipient' }), 'no_address'],
  ])('a recipient that %s is skipped', (_, refusal, reason) => {
    expect(judged(refusal as Refusal)).toEqual({ kind: 'skip', reason });
  });

  test.each([
    ['the wallet is empty', NO_FUNDS, 'insufficient_funds'],
    ['no provider is set up', refuse('DEPENDENCY_FAILED', 'No provider.'), 'provider_unavailable'],
    [
      'the route has no price',
      refuse('PRECONDITION_FAILED', { detail: 'No price.', meta: { motivo: 'route_not_priced' } }),
      'provider_unavailable',
    ],
    [
      'no sender is verified',
      refuse('PRECONDITION_FAILED', { detail: 'No sender.', meta: { motivo: 'no_verified_sender' } }),
      'sender_unavailable',
    ],
    ['no number is connected', refuse('PRECONDITION_FAILED', 'No number.'), 'sender_unavailable'],
    [
      'the template is not approved',
      refuse('CONFLICT', { detail: 'Not approved.', meta: { code: 'template_not_approved' } }),
      'template_unavailable',
    ],
    ['the template is gone', invalid('template'), 'template_unavailable'],
    ['the template is gone, named by its id', invalid('templateId'), 'template_unavailable'],
    ['the template of an e-mail is gone', invalid('payload.email.templateId'), 'template_unavailable'],
    ['the number of the template is disconnected', invalid('numberId'), 'sender_unavailable'],
    ['the account of Instagram is disconnected', invalid('instagramAccountId'), 'sender_unavailable'],
  ])('pauses the campaign where %s', (_, refusal, reason) => {
    expect(judged(refusal)).toEqual({ kind: 'pause', reason });
  });

  test.each([
    ['whose batch is undecided', BATCH_UNDECIDED, 15_000],
    ['whose key is in use', KEY_IN_PROGRESS, 1_000],
    ['beyond the rate', RATE_EXCEEDED, 1_000],
    [
      'whom the service is too busy for',
      refuse('SERVICE_UNAVAILABLE', { detail: 'Busy.', retryAfterSeconds: 7 }),
      7_000,
    ],
    ['who is capped', cappedUntil(NOW + HOUR_MS), HOUR_MS],
    ['who is capped until the last moment of its tries', cappedUntil(UNTIL), 72 * HOUR_MS],
  ])('%s is tried again', (_, refusal, afterMs) => {
    expect(judged(refusal)).toEqual({ kind: 'defer', until: NOW + afterMs });
  });

  test('a recipient that is capped beyond the retry period is skipped', () => {
    expect(judged(cappedUntil(UNTIL + HOUR_MS))).toEqual({ kind: 'skip', reason: 'frequency_cap' });
  });
});

describe('the refusals of a portion', () => {
  const refused = [consentRefusal('opted_out'), cappedUntil(NOW + HOUR_MS), RATE_EXCEEDED, NO_FUNDS].map(
    (refusal, index) => ({ index, refusal }),
  );
  const all = (shortOfMaxCoins: boolean) => judge(refused, { now: NOW, triedUntil: UNTIL, shortOfMaxCoins });

  test('skip each its own recipient, and are tried again with the first that is free', () => {
    expect(all(false)).toEqual({
      skipped: [[0, 'opt_out']],
      retryAt: NOW + 1_000,
      pause: 'insufficient_funds',
    });
  });

  test('for lack of coins count as maxCoins if the campaign had none left', () => {
    expect(all(true)).toMatchObject({ pause: 'max_coins' });
    const noProvider = [{ index: 0, refusal: refuse('DEPENDENCY_FAILED', 'No provider.') }];
    const given = { now: NOW, triedUntil: UNTIL, shortOfMaxCoins: true };
    expect(judge(noProvider, given)).toEqual({ skipped: [], pause: 'provider_unavailable' });
  });
});

import { expect, test } from 'vitest';
import { windowRefusal } from '../../../shared/domain/channels/meta/window.ts';
import { isRefusal, refuse } from '../../../shared/domain/core/errors.ts';
import { newId } from '../../../shared/domain/core/ids.ts';
import { refuseField } from '../../../shared/domain/core/refuse-field.ts';
import type { Performed } from '../../../shared/domain/journeys/engine-ports.ts';
import { resultOfRefusal } from '../../../shared/domain/journeys/send-results.ts';
import { priceOf } from '../../../shared/domain/sending/quote.ts';
import {
  consentRefusal,
  exceedsMaxCoins,
  KEY_IN_PROGRESS,
  NO_FUNDS,
  RATE_EXCEEDED,
  sentBefore,
} from '../../../shared/domain/sending/refusals.ts';

const messageId = newId('message');
const motivo = (name: 'PRECONDITION_FAILED' | 'VALIDATION_ERROR', reason: string) =>
  refuse(name, { detail: 'No.', meta: { motivo: reason } });
const skipped = (detail: string): Performed => ({ kind: 'skipped', detail });
const later = (ms: number): Performed => ({ kind: 'later', ms });

test.each([
  ['an opt-out', consentRefusal('opted_out'), skipped('opt_out')],
  ['an address that does not take messages', motivo('VALIDATION_ERROR', 'suppressed'), skipped('suppressed')],
  ['the frequency cap', motivo('PRECONDITION_FAILED', 'frequency_cap'), skipped('frequency_cap')],
  ['a closed destination', motivo('VALIDATION_ERROR', 'destination_closed'), skipped('destination_closed')],
  ['a held destination', motivo('PRECONDITION_FAILED', 'destination_held'), skipped('destination_held')],
  [
    'a destination without a price',
    motivo('PRECONDITION_FAILED', 'destination_not_priced'),
    skipped('destination_not_priced'),
  ],
  ['a price above maxCoins', exceedsMaxCoins(10), skipped('max_coins')],
  ['a closed window', windowRefusal('whatsapp', 0, undefined, false), skipped('janela_fechada')],
  ['an address that is none', refuseField('No.', 'to', 'is not a phone number'), skipped('destinatario_invalido')],
  ['a contact that is gone', consentRefusal('unknown_contact'), skipped('destinatario_invalido')],
])('a send that is refused for %s is skipped', (_, refusal, result) => {
  expect(refusal && resultOfRefusal(refusal)).toEqual(result);
});

test.each([
  ['for want of coins', NO_FUNDS, 'saldo_insuficiente'],
  [
    'since its template is not approved',
    refuse('CONFLICT', { detail: 'No.', meta: { code: 'template_not_approved' } }),
    'template_indisponivel',
  ],
  ['since its template is gone', refuseField('No.', 'templateId', 'does not exist'), 'template_indisponivel'],
  ['since the number of its template is gone', refuseField('No.', 'numberId', 'is gone'), 'numero_desconectado'],
  [
    'since the account of its template is gone',
    refuseField('No.', 'instagramAccountId', 'is gone'),
    'numero_desconectado',
  ],
  ['for want of an account to send from', refuse('PRECONDITION_FAILED', 'No account.'), 'numero_desconectado'],
  ['for want of a sender of e-mails', motivo('PRECONDITION_FAILED', 'no_verified_sender'), 'numero_desconectado'],
  ['for want of a provider', refuse('DEPENDENCY_FAILED', 'None.'), 'provedor_indisponivel'],
])('a send that is refused %s pauses the journey with that reason', (_, refusal, reason) => {
  expect(resultOfRefusal(refusal)).toEqual({ kind: 'blocked', reason });
});

test.each([
  ['a rate that is used up', RATE_EXCEEDED, later(1_000)],
  ['a key that is in use', KEY_IN_PROGRESS, later(1_000)],
  ['a busy service', refuse('SERVICE_UNAVAILABLE', 'Busy.'), later(30_000)],
])('a send that encounters %s is retried later', (_, refusal, result) => {
  expect(resultOfRefusal(refusal)).toEqual(result);
});

test('a send whose message was archived counts as sent', () => {
  expect(resultOfRefusal(sentBefore(messageId))).toEqual({ kind: 'sent', messageId });
});

test('a send whose route has no price is refused: no number is missing', async () => {
  const refusal = await priceOf({ prices: async () => [] }, 'sms', 'la_dedicada');
  expect(isRefusal(refusal) && resultOfRefusal(refusal)).toEqual({ kind: 'refused', detail: 'route_not_priced' });
});

test('a send whose own fields are wrong is refused, by the first of them', () => {
  expect(resultOfRefusal(refuseField('No.', 'text', 'is too long'))).toEqual({ kind: 'refused', detail: 'text' });
});

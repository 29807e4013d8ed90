import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { CallbackReading, Dispatch, Provider, ReceiptEvent } from '../../shared/domain/message/provider-port.ts';
import type { InfobipApi } from '../support/providers/infobip-api.ts';
import { NOW } from '../support/providers/kit.ts';
import type { StandIn } from '../support/providers/stand-in.ts';

/** Responses after which it is unknown whether the message was sent. */
export const AMBIGUOUS = [
  'server_error',
  'hang',
  'accept_and_hang',
  'reset',
  'accept_and_reset',
  'malformed',
  'wrong_content_type',
] as const;
export const expectNoPersonalData = (answer: unknown) =>
  expect(JSON.stringify(answer)).not.toMatch(/5511|9182|segredo/);

/** These fields of each receipt of a callback. */
export const receiptsOf = (reading: CallbackReading, ...fields: readonly (keyof ReceiptEvent)[]) =>
  reading.kind === 'events' &&
  reading.events.map((event) => event.kind === 'receipt' && fields.map((field) => event[field]));

/** The JSON body of the last request. */
export const lastBody = (standIn: StandIn) => JSON.parse(standIn.requests.at(-1)?.body ?? '');
/** The reading of a callback with these events. */
export const events = (...all: readonly object[]) => ({ kind: 'events', events: all });

interface Sender {
  readonly standIn: StandIn;
  readonly provider: (over?: object) => Provider<unknown>;
  readonly dispatch: () => Dispatch<unknown>;
}

/** The AWS SDK retries some errors by default: a send must not be retried. */
export const itNeverRetriesASend = (errors: readonly string[], { standIn, provider, dispatch }: Sender) =>
  it.each(errors)('makes one request when AWS answers %s, which the SDK would retry', async (refuse) => {
    const before = standIn.requests.length;
    standIn.script({ refuse });
    await provider().send(dispatch());
    expect(standIn.requests.length).toBe(before + 1);
  });

/** Infobip's logs and its check for repeated references are the same on every channel. */
export const describeInfobipReferences = ({ standIn, provider, dispatch }: Sender & { standIn: InfobipApi }) => {
  describe('a status query by our reference', () => {
    const query = (sentAt: number) => provider().queryStatus?.(newId('message'), sentAt);

    it('finds a message whose answer was lost', async () => {
      const sent = dispatch();
      standIn.script('accept_and_hang');
      expect((await provider({ timeoutMs: 2_000 }).send(sent)).kind).toBe('unknown');
      expect(await provider().queryStatus?.(sent.messageId, NOW)).toEqual({
        kind: 'accepted',
        providerMessageId: sent.messageId,
      });
    });

    it('finds a message absent only when the logs had time to show it', async () => {
      expect(await query(NOW - 5 * 60_000)).toEqual({ kind: 'not_found' });
      expect(await query(NOW - 59_000)).toMatchObject({ kind: 'undecided' });
    });

    it.each([401, 429, 500])('stays undecided when the logs answer %i', async (status) => {
      standIn.failLogs(status);
      expect(await query(NOW - 5 * 60_000)).toMatchObject({ kind: 'undecided' });
    });
  });

  it('does not call a repeated reference refused: the first send under it may be accepted', async () => {
    const sent = dispatch();
    await provider().send(sent);
    expect(await provider().send(sent)).toMatchObject({ kind: 'unknown' });
  });
};

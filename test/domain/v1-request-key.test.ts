import { expect, test } from 'vitest';
import { v1RequestKey } from '../../shared/domain/api/v1-send.ts';

test('the hash of a v1 request is the stored one of every version, so that a key in use is replayed after an update', () => {
  const key = v1RequestKey('order-1842', { channel: 'sms', to: '+5511999990005', text: 'Oi' });
  expect(key).toEqual({ callerKey: 'order-1842', requestHash: 'qrdIFRRfa39HKDbaUKm5e1pDWabCy1qoohKX7QA61O8' });
});

import { expect, test } from 'vitest';
import { emailSandbox } from '../../shared/domain/channels/email/sandbox.ts';

const reports = (...all: object[]) => ({ reports: all });
const delivered = reports({ status: 'delivered' });

test.each([
  ['success', delivered],
  ['bounce', reports({ status: 'bounced', reason: 'invalid_address' })],
  ['complaint', reports({ status: 'complained', reason: 'complaint' })],
  ['ooto', delivered],
  ['anything', delivered],
  ['', delivered],
])('the simulator gives %s its documented outcome', (local, play) => {
  expect(emailSandbox(`${local}@simulator.amazonses.com`)).toEqual(play);
  expect(emailSandbox(`${local}+order42@simulator.amazonses.com`)).toEqual(play);
  expect(emailSandbox(`${local.toUpperCase()}@Simulator.AmazonSES.com`)).toEqual(play);
  expect(emailSandbox(`${local}@loja.example`)).toEqual(delivered);
});

test('only the suppression list is refused when sending', () => {
  expect(emailSandbox('suppressionlist+a@simulator.amazonses.com')).toEqual({
    refuse: { kind: 'refused', cause: 'blacklisted', detail: expect.any(String) },
    reports: [],
  });
  expect(emailSandbox('suppressionlist@loja.example')).toEqual(delivered);
});

import { expect, it } from 'vitest';
import { smppCarrierSettings } from '../../../shared/providers/sms/smpp-carrier.ts';

const SETTINGS = {
  host: 'smpp.carrier.example',
  systemId: 'acme',
  password: 'secret',
  serviceKey: 'a key of at least thirty-two characters',
  serviceUrl: 'https://smpp.example.com:8443',
};

/** A bind that cannot be written would end every process of the service. */
it.each(['systemId', 'password', 'systemType', 'addressRange', 'serviceType'])(
  'the setting %s is refused where an octet string of SMPP cannot hold it',
  (name) => {
    expect(smppCarrierSettings.safeParse({ ...SETTINGS, [name]: 'abc' }).success).toBe(true);
    for (const text of ['€', 'ação', 'a\0b'])
      expect(smppCarrierSettings.safeParse({ ...SETTINGS, [name]: text }).error?.issues).toMatchObject([
        { path: [name] },
      ]);
  },
);

it('a system_id is never empty, and a password may be', () => {
  expect(smppCarrierSettings.safeParse({ ...SETTINGS, systemId: '' }).success).toBe(false);
  expect(smppCarrierSettings.safeParse({ ...SETTINGS, password: '' }).success).toBe(true);
});

import type { CarrierSettings } from '../../../shared/domain/smpp/carrier.ts';
import type { Body } from '../../../shared/smpp/pdus.ts';

type Addresses = Pick<
  Body<'submit_sm'>,
  'destAddrNpi' | 'destAddrTon' | 'destinationAddr' | 'serviceType' | 'sourceAddr' | 'sourceAddrNpi' | 'sourceAddrTon'
>;

const NUMBER = { ton: 1, npi: 1 };
const SHORT_CODE = { ton: 3, npi: 0 };
const NAME = { ton: 5, npi: 0 };
/** The maximum length of a short code; longer ones are numbers with a country code. */
const SHORT = 8;

const planOf = (sender: string) => {
  if (!/^\+?\d+$/.test(sender)) return NAME;
  return sender.startsWith('+') || sender.length > SHORT ? NUMBER : SHORT_CODE;
};

const sourceOf = ({ source }: CarrierSettings, sender: string | undefined) => {
  if (sender === undefined) return { sourceAddrTon: 0, sourceAddrNpi: 0, sourceAddr: '' };
  const plan = planOf(sender);
  return {
    sourceAddrTon: source.ton ?? plan.ton,
    sourceAddrNpi: source.npi ?? plan.npi,
    sourceAddr: sender.replace(/^\+/, ''),
  };
};

/** The address fields of every submit_sm of a message. `to` in E.164. */
export const addressesOf = (settings: CarrierSettings, to: string, sender: string | undefined): Addresses => ({
  serviceType: settings.serviceType,
  ...sourceOf(settings, sender),
  destAddrTon: settings.destination.ton ?? NUMBER.ton,
  destAddrNpi: settings.destination.npi ?? NUMBER.npi,
  destinationAddr: to.replace(/^\+/, ''),
});

import { startCarrier } from '../infra/local/carrier/start.ts';
import type { CarrierSettings } from '../shared/domain/smpp/carrier.ts';

/**
 * The carrier's side of the SMPP service, in a process of its own and without a table: it holds as many binds as its settings say. Takes the settings, and
 * sends the port where it takes messages once all of its binds are open.
 */

const OPEN_MS = 20;
const serve = async (settings: CarrierSettings): Promise<void> => {
  let taken = 0;
  const { service, port } = await startCarrier(
    { port: 0, host: '127.0.0.1', address: '127.0.0.1' },
    {
      stage: 'live',
      invoke: async (_stage, _name, event) => {
        const { kind } = event as { readonly kind: string };
        if (kind === 'set_up') return { settings, callbackUrl: 'http://127.0.0.1:1' };
        return kind === 'take' ? { slot: taken, bindId: `bind-${taken++}` } : [];
      },
      onFault: (where, error) => console.error(where, error),
      onNews: () => {},
      everyMs: OPEN_MS,
    },
  );
  const opening = setInterval(() => {
    if (service.openBinds < settings.binds) return;
    clearInterval(opening);
    process.send?.(port);
  }, OPEN_MS);
};
process.once('message', (settings: CarrierSettings) => void serve(settings));

import { startCarrier } from '../../../infra/local/carrier/start.ts';

/** A process of the SMPP service, whose stage is the test: run with the address where that answers, it prints its port once it listens. */
const [stageUrl = ''] = process.argv.slice(2);

const running = await startCarrier(
  { port: 0, host: '127.0.0.1', address: '127.0.0.1' },
  {
    stage: 'live',
    invoke: async (_stage, _name, event) => {
      const response = await fetch(stageUrl, { method: 'POST', body: JSON.stringify(event) });
      const text = await response.text();
      return text === '' ? undefined : JSON.parse(text);
    },
    onFault: (where, error) => console.error(where, error),
    onNews: () => {},
    everyMs: 50,
    retry: { firstMs: 10, maxMs: 50 },
  },
);
console.log(running.port);

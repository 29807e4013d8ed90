import { networkInterfaces } from 'node:os';
import { containerFunctions, logFault, stageNamed } from './container.ts';
import { type RunningSmpp, startSmpp } from './smpp.ts';

/**
 * The SMPP service: with `-c smppService=true`, containers per stage that hold the binds of its accounts and those to its carrier. The load
 * balancer terminates TLS.
 */

const COUNT_MS = 60_000;

/** The address of this container in its network. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    ?.address ?? '127.0.0.1';

/** A log line in the embedded metric format of CloudWatch. */
const metricLine = (stage: string, values: Readonly<Record<string, number>>): string =>
  JSON.stringify({
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: 'Messaging',
          Dimensions: [['service', 'stage']],
          Metrics: Object.keys(values).map((Name) => ({ Name, Unit: 'Count' })),
        },
      ],
    },
    service: 'messaging',
    stage,
    ...values,
  });

/** The metrics for alarms and scaling. Without a carrier its binds are not counted, so that no alarm expects them. */
export const countsOf = (smpp: Pick<RunningSmpp, 'counts'>): Readonly<Record<string, number>> => {
  const { connections, binds, refusedBinds, notTaken, carrierBinds } = smpp.counts();
  return {
    SmppConnections: connections,
    SmppBinds: binds,
    SmppRefusedBinds: refusedBinds,
    SmppReportsNotTaken: notTaken,
    ...(carrierBinds === undefined ? {} : { CarrierBinds: carrierBinds }),
  };
};

const main = async (): Promise<void> => {
  const { STAGE, SMPP_PORT = '2775', PORT = '8080', HOST = '0.0.0.0', DIST = import.meta.dirname } = process.env;
  const stage = stageNamed(STAGE);
  const { functions } = await containerFunctions(stage, DIST);
  const fault = logFault('smpp fault');
  const smpp = await startSmpp({
    smppPort: Number(SMPP_PORT),
    carrierPort: Number(PORT),
    host: HOST,
    address: ownAddress(),
    carrierStage: stage,
    // A system_id of the other stage is unknown here.
    functionsOf: () => functions,
    onFault: (where, error) => fault(where, 'smpp', error),
    onNews: (line) => console.log(JSON.stringify({ level: 'INFO', ...line })),
  });
  const counting = setInterval(() => console.log(metricLine(stage, countsOf(smpp))), COUNT_MS);
  process.on('SIGTERM', () => {
    clearInterval(counting);
    void smpp.close().then(() => process.exit(0));
  });
  const { smppPort, carrierPort } = smpp;
  console.log(JSON.stringify({ level: 'INFO', message: 'ready', stage, smppPort, carrierPort }));
};

if (import.meta.main) await main();

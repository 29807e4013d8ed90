import { startCarrierHttp } from './http.ts';
import { CarrierService, type CarrierServiceOptions } from './service.ts';

export interface RunningCarrier {
  readonly service: CarrierService;
  /** The port on which it accepts messages. */
  readonly port: number;
  /** Unbinds, frees the binds for other processes, and completes pending requests. */
  close(): Promise<void>;
}

/**
 * Holds the binds to the carrier of a stage, and accepts messages for it. `address`: where other processes reach this one, without the
 * port.
 */
export const startCarrier = async (
  { port, host, address }: { readonly port: number; readonly host: string; readonly address: string },
  options: CarrierServiceOptions,
): Promise<RunningCarrier> => {
  const service = new CarrierService(options);
  const http = await startCarrierHttp(service, { port, host, onFault: (error) => options.onFault('carrier', error) });
  await service.start(`http://${address}:${http.port}`);
  return {
    service,
    port: http.port,
    async close() {
      await service.stop();
      await http.close();
    },
  };
};

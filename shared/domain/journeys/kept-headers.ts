import { maskHeaderValue } from '../webhooks/header-values.ts';
import { MASK } from '../webhooks/headers.ts';
import type { WireConfigs, WireStep } from './definition.ts';

type Endpoint = WireConfigs['webhook'];
type Header = NonNullable<Endpoint['cabecalhos']>[number];

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** A header's stored value, if the caller sends it back masked; a stored value is never sent to another origin. */
const headerValue = (stored: Endpoint | undefined, { url }: Endpoint, { key, value }: Header): string => {
  if (!value.startsWith(MASK) || !stored || originOf(stored.url) !== originOf(url)) return value;
  const kept = stored.cabecalhos?.find((header) => header.key.toLowerCase() === key.toLowerCase());
  return kept && maskHeaderValue(kept.value) === value ? kept.value : value;
};

const endpointOf = (step: WireStep | undefined): Endpoint | undefined =>
  step?.tipo === 'webhook' ? step.config : undefined;

/** The given steps; masked header values are replaced by those of the stored step with the same key. */
export const withKeptHeaders = (stored: readonly WireStep[], given: readonly WireStep[]): readonly WireStep[] => {
  const byKey = new Map(stored.map((step) => [step.chave, step]));
  return given.map((step) => {
    if (step.tipo !== 'webhook' || !step.config.cabecalhos) return step;
    const { config } = step;
    const before = endpointOf(byKey.get(step.chave));
    const cabecalhos = step.config.cabecalhos.map((header) => ({
      ...header,
      value: headerValue(before, config, header),
    }));
    return { ...step, config: { ...config, cabecalhos } };
  });
};

/** The steps as responses show them: header values are write-only (docs/spec/webhooks.md#header-values). */
export const withMaskedHeaders = (steps: readonly WireStep[]): readonly WireStep[] =>
  steps.map((step) => {
    if (step.tipo !== 'webhook' || !step.config.cabecalhos) return step;
    const cabecalhos = step.config.cabecalhos.map(({ key, value }) => ({ key, value: maskHeaderValue(value) }));
    return { ...step, config: { ...step.config, cabecalhos } };
  });

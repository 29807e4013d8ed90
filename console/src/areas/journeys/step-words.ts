import { useTexts } from '../../app/texts.ts';
import { type Outcome, type Step, UNITS } from './graph.ts';
import { stepTexts } from './step-texts.ts';

/** A step in words. */
export const useStepWords = () => {
  const t = useTexts(stepTexts);
  const duration = (config: Step['config']): string => {
    const unit = UNITS.find((each) => each in config);
    return unit ? `${String(config[unit])} ${config[unit] === 1 ? t.unit[unit] : t.units[unit]}` : '';
  };
  const detail = ({ tipo, config }: Step): string => {
    const text = (name: string) => (typeof config[name] === 'string' ? config[name] : '');
    if (tipo === 'enviar') return `${text('canal')}: ${text('texto') || text('template') || text('assunto')}`;
    if (tipo === 'esperar') {
      const until = config.ate as { readonly hora?: string } | undefined;
      return until ? (until.hora ?? '') : duration(config);
    }
    if (tipo === 'esperar_evento') return text('evento') || `${text('passo')} · ${text('status')}`;
    if (tipo === 'condicao') return config.passo ? `${text('passo')} · ${text('status')}` : t.modes.contact;
    if (tipo === 'etiqueta') return [config.adicionar ?? config.remover ?? ''].flat().join(', ');
    if (tipo === 'atributo') return text('chave');
    return text('url');
  };
  return {
    /** The name of a step: its label, else its kind. */
    nameOf: ({ rotulo, tipo }: Pick<Step, 'rotulo' | 'tipo'>) => rotulo || t.kinds[tipo],
    kindOf: (step: Step) => t.kinds[step.tipo],
    detailOf: detail,
    outcomeOf: ({ quando, ramo }: Outcome) => ramo ?? t.outcomes[quando],
  };
};

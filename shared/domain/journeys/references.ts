import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { WireConfigs, WireGraph, WireTrigger } from './definition.ts';
import { configPath } from './faults.ts';

/** An object that a definition refers to and that must exist; `path`: where it is named. */
export type Reference =
  | { readonly kind: 'list'; readonly id: Id<'list'>; readonly path: string }
  | { readonly kind: 'segment'; readonly id: Id<'segment'>; readonly path: string }
  | { readonly kind: 'template'; readonly channel: Channel; readonly name: string; readonly path: string }
  | { readonly kind: 'route'; readonly channel: Channel; readonly route: string; readonly path: string }
  /** `pipelineId` and `estagioId` below `path`. */
  | {
      readonly kind: 'stage';
      readonly pipelineId: Id<'pipeline'>;
      readonly stageId: Id<'stage'>;
      readonly path: string;
    };

/** A channel that a step sends on, first or as a fallback. */
export interface ChannelUse {
  readonly channel: Channel;
  readonly template?: string | undefined;
  /** Where the channel and the template are named. */
  readonly path: string;
  readonly templatePath: string;
}

const usesOf = (config: WireConfigs['enviar'], index: number): ChannelUse[] => [
  {
    channel: config.canal,
    template: config.template,
    path: configPath(index, 'canal'),
    templatePath: configPath(index, 'template'),
  },
  ...(config.fallback ?? []).map((step, at): ChannelUse => {
    const path = configPath(index, `fallback.${at}`);
    if (typeof step === 'string')
      return { channel: step, template: config.template, path, templatePath: configPath(index, 'template') };
    // A fallback without content inherits the step's.
    const own = step.text === undefined ? (step.template ?? config.template) : undefined;
    const templatePath = step.template === undefined ? configPath(index, 'template') : `${path}.template`;
    return { channel: step.channel, template: own, path: `${path}.channel`, templatePath };
  }),
];

/**
 * All channels that a graph sends on, in the order of its steps. They determine what activation requires, such as a connected number or a
 * push app.
 */
export const channelUses = ({ passos }: Pick<WireGraph, 'passos'>): readonly ChannelUse[] =>
  passos.flatMap((step, index) => (step.tipo === 'enviar' ? usesOf(step.config, index) : []));

/** The channels that a graph sends on, without duplicates, in the order of the contract. */
export const channelsOf = (graph: Pick<WireGraph, 'passos'>): readonly Channel[] => [
  ...new Set(channelUses(graph).map(({ channel }) => channel)),
];

const routesOf = (passos: WireGraph['passos']): readonly Reference[] =>
  passos.flatMap((step, index) =>
    step.tipo === 'enviar' && step.config.rota !== undefined
      ? [
          {
            kind: 'route' as const,
            channel: step.config.canal,
            route: step.config.rota,
            path: configPath(index, 'rota'),
          },
        ]
      : [],
  );

/** The external references of a definition (docs/spec/journeys.md#refusals); a template once for each place that names it. */
export const referencesOf = ({
  gatilho,
  passos,
}: Pick<WireGraph, 'passos'> & { readonly gatilho: WireTrigger }): readonly Reference[] => {
  const uses = channelUses({ passos }).filter(({ template }) => template !== undefined);
  const once = uses.filter(
    (use, at) =>
      uses.findIndex((each) => each.templatePath === use.templatePath && each.channel === use.channel) === at,
  );
  return [
    ...(gatilho.listId ? [{ kind: 'list' as const, id: gatilho.listId, path: 'gatilho.listId' }] : []),
    ...(gatilho.segmentId ? [{ kind: 'segment' as const, id: gatilho.segmentId, path: 'gatilho.segmentId' }] : []),
    ...once.map(({ channel, template = '', templatePath: path }) => ({
      kind: 'template' as const,
      channel,
      name: template,
      path,
    })),
    ...routesOf(passos),
    ...passos.flatMap((step, index) =>
      step.tipo === 'mover_cartao'
        ? [
            {
              kind: 'stage' as const,
              pipelineId: step.config.pipelineId,
              stageId: step.config.estagioId,
              path: configPath(index),
            },
          ]
        : [],
    ),
  ];
};

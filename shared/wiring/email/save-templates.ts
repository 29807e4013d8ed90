import type { TemplateSavePorts } from '../../domain/channels/email/template.ts';
import { compileMjml } from '../../providers/mjml/mjml.ts';
import { templatePorts } from './templates.ts';

/** In a file of its own, so that the MJML compiler is bundled only into functions that save templates. */
export const templateSavePorts: TemplateSavePorts = { ...templatePorts, compileMjml };

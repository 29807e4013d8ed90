import { downloadCardFile as contract } from '../../shared/contracts/card-files.ts';
import { downloadCardFile } from '../../shared/domain/activities/card-files.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardFilePorts } from '../../shared/wiring/activities/card-files.ts';

export const handler = operation(contract, ({ actor, params }) => downloadCardFile(cardFilePorts, actor, params));

import { deleteCardFile as contract } from '../../shared/contracts/card-files.ts';
import { deleteCardFile } from '../../shared/domain/activities/card-files.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardFilePorts } from '../../shared/wiring/activities/card-files.ts';

export const handler = operation(contract, ({ actor, params }) => deleteCardFile(cardFilePorts, actor, params));

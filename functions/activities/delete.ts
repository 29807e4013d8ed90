import { deleteActivity as contract } from '../../shared/contracts/activities.ts';
import { deleteActivity } from '../../shared/domain/activities/activities.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { activityPorts } from '../../shared/wiring/activities/activities.ts';

export const handler = operation(contract, ({ actor, params }) => deleteActivity(activityPorts, actor, params.id));

import { createActivity as contract } from '../../shared/contracts/activities.ts';
import { createActivity } from '../../shared/domain/activities/activities.ts';
import { activityView } from '../../shared/domain/activities/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { activityPorts } from '../../shared/wiring/activities/activities.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createActivity(activityPorts, actor, body),
  activityView,
);

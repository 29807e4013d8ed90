import { getActivity as contract } from '../../shared/contracts/activities.ts';
import { findActivity } from '../../shared/domain/activities/activities.ts';
import { activityView } from '../../shared/domain/activities/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { activityPorts } from '../../shared/wiring/activities/activities.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findActivity(activityPorts, actor, params.id),
  activityView,
);

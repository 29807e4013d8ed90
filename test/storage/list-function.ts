/* Imported as a copy (importFresh): a function reads the environment once, at its import. */
export { handler } from '../../functions/sms/list.ts';
export { listReading } from '../../shared/wiring/messages/lists.ts';
export { finishPending, inScope } from '../../shared/wiring/process/scope.ts';

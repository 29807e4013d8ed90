import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../domain/access/credentials.ts';
import { asCurrentCaller } from '../domain/access/current-caller.ts';
import { callerPorts } from '../wiring/access/people.ts';
import { presentedCall } from './caller.ts';

/** Runs a rule with freshly read permissions of an event's caller instead of those in the gateway's cache. */
export const asCaller = <T>(event: APIGatewayProxyEvent, rule: (caller: Caller) => Promise<T>) =>
  asCurrentCaller(callerPorts, presentedCall(event), rule);

import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import type { Environment } from '../shared/domain/core/actor.ts';
import type { ContractName } from '../shared/runtime/problem.ts';
import { MessagingApi } from './constructs/rest-api.ts';
import type { StageSettings } from './stages.ts';

export interface ApiStackProps extends StackProps {
  readonly environment: Environment;
  readonly settings: StageSettings;
  readonly contracts: readonly OperationContract[];
}

/**
 * The routes of a stage. A stack of their own, before the edge, while the functions come after it: the edge needs the addresses of the APIs,
 * and the functions need the edge's, which short links and callback addresses begin with. It is also the larger half of what would be one
 * template.
 */
export class ApiStack extends Stack {
  /** One API per contract, because the gateway's own errors differ in wording; the edge puts both behind one address. */
  readonly apis: Readonly<Record<ContractName, MessagingApi>>;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, { ...props, suppressTemplateIndentation: true });
    const { environment, contracts, settings } = props;
    const create = (name: string, contract: ContractName, ownsLogRole: boolean) =>
      new MessagingApi(this, name, { environment, settings, contracts, contract, ownsLogRole });
    this.apis = {
      reference: create('Reference', 'reference', settings.ownsGatewayLogRole),
      v1: create('V1', 'v1', false),
    };
    new CfnOutput(this, 'ApiUrl', { value: this.apis.reference.address });
    new CfnOutput(this, 'V1ApiUrl', { value: this.apis.v1.address });
  }
}

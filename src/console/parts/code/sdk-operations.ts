/**
 * The operations of Formance's official SDKs that Florin serves, a line each, in six parts:
 *
 * 1. the method and the path, with the SDK's names of parameters
 * 2. the method of the TypeScript SDK; that of the Python SDK is the same in snake case
 * 3. the name of the request in the Go SDK, or `-`
 * 4. parameters, as name, type and (for Go) field and type
 * 5. the name and type of the body; the name is `request` where the body is the whole request
 * 6. the method of the Go SDK with the field and type of the body, or `-`
 *
 * Types are s (text), i (integer), n (integer of any size), b (boolean), d (date), * (anything), u (one of several objects), lists, and
 * objects, in which `!` marks required members and `*` stands for any other name. Made from the SDKs for TypeScript 7.0.1, Python 9.0.1
 * and Go 3.7.0.
 */
export const SDK_OPERATIONS = `
POST /api/auth/clients|auth.v1.createClient|-||request {description:s,metadata:{*:s},name!:s,postLogoutRedirectUris:[s],public:b,redirectUris:[s],scopes:[s],trusted:b}|CreateClient request *shared.ClientOptions
POST /api/auth/clients/{clientId}/secrets|auth.v1.createSecret|CreateSecret|clientId:s:ClientID:string|secretOptions {metadata:{*:s},name!:s}|CreateSecret CreateSecretRequest *shared.CreateSecretRequest
DELETE /api/auth/clients/{clientId}|auth.v1.deleteClient|DeleteClient|clientId:s:ClientID:string||DeleteClient
DELETE /api/auth/clients/{clientId}/secrets/{secretId}|auth.v1.deleteSecret|DeleteSecret|clientId:s:ClientID:string secretId:s:SecretID:string||DeleteSecret
GET /api/auth/clients|auth.v1.listClients|-|||ListClients
GET /api/auth/users|auth.v1.listUsers|-|||ListUsers
GET /api/auth/clients/{clientId}|auth.v1.readClient|ReadClient|clientId:s:ClientID:string||ReadClient
GET /api/auth/users/{userId}|auth.v1.readUser|ReadUser|userId:s:UserID:string||ReadUser
PUT /api/auth/clients/{clientId}|auth.v1.updateClient|UpdateClient|clientId:s:ClientID:string|clientOptions {description:s,metadata:{*:s},name!:s,postLogoutRedirectUris:[s],public:b,redirectUris:[s],scopes:[s],trusted:b}|UpdateClient ClientOptions *shared.ClientOptions
POST /api/ledger/v2/{ledger}/transactions/{id}/metadata|ledger.v2.addMetadataOnTransaction|V2AddMetadataOnTransaction|dryRun:b:DryRun:*bool id:n:ID:*big.Int ledger:s:Ledger:string schemaVersion:s:-|requestBody {*:s}|AddMetadataOnTransaction RequestBody map[string]string
POST /api/ledger/v2/{ledger}/accounts/{address}/metadata|ledger.v2.addMetadataToAccount|V2AddMetadataToAccount|address:s:Address:string dryRun:b:DryRun:*bool ledger:s:Ledger:string schemaVersion:s:-|requestBody {*:s}|AddMetadataToAccount RequestBody map[string]string
POST /api/ledger/v2/{ledger}/_bulk|ledger.v2.createBulk|V2CreateBulk|atomic:b:Atomic:*bool continueOnFailure:b:ContinueOnFailure:*bool ledger:s:Ledger:string parallel:b:Parallel:*bool schemaVersion:s:-|requestBody [u]|CreateBulk RequestBody []shared.V2BulkElement
POST /api/ledger/v2/_/exporters|ledger.v2.createExporter|-||request {config!:{*:*},driver!:s}|CreateExporter request shared.V2ExporterConfiguration
POST /api/ledger/v2/{ledger}|ledger.v2.createLedger|V2CreateLedger|ledger:s:Ledger:string|v2CreateLedgerRequest {bucket:s,features:{*:s},metadata:{*:s}}|CreateLedger V2CreateLedgerRequest shared.V2CreateLedgerRequest
POST /api/ledger/v2/{ledger}/pipelines|ledger.v2.createPipeline|V2CreatePipeline|ledger:s:Ledger:string|v2CreatePipelineRequest {exporterID!:s}|CreatePipeline V2CreatePipelineRequest *shared.V2CreatePipelineRequest
POST /api/ledger/v2/{ledger}/transactions|ledger.v2.createTransaction|V2CreateTransaction|dryRun:b:DryRun:*bool force:b:Force:*bool ledger:s:Ledger:string schemaVersion:s:-|v2PostTransaction {accountMetadata:{*:{*:s}},force:b,metadata!:{*:s},postings:[{amount!:n,asset!:s,destination!:s,source!:s}],reference:s,runtime:s,script:{plain:s,template:s,vars:{*:s}},timestamp:d}|CreateTransaction V2PostTransaction shared.V2PostTransaction
DELETE /api/ledger/v2/{ledger}/accounts/{address}/metadata/{key}|ledger.v2.deleteAccountMetadata|V2DeleteAccountMetadata|address:s:Address:string key:s:Key:string ledger:s:Ledger:string||DeleteAccountMetadata
DELETE /api/ledger/v2/_/buckets/{bucket}|ledger.v2.deleteBucket|-|bucket:s:-||-
DELETE /api/ledger/v2/_/exporters/{exporterID}|ledger.v2.deleteExporter|V2DeleteExporter|exporterID:s:ExporterID:string||DeleteExporter
DELETE /api/ledger/v2/{ledger}/metadata/{key}|ledger.v2.deleteLedgerMetadata|V2DeleteLedgerMetadata|key:s:Key:string ledger:s:Ledger:string||DeleteLedgerMetadata
DELETE /api/ledger/v2/{ledger}/pipelines/{pipelineID}|ledger.v2.deletePipeline|V2DeletePipeline|ledger:s:Ledger:string pipelineID:s:PipelineID:string||DeletePipeline
DELETE /api/ledger/v2/{ledger}/transactions/{id}/metadata/{key}|ledger.v2.deleteTransactionMetadata|V2DeleteTransactionMetadata|id:n:ID:*big.Int key:s:Key:string ledger:s:Ledger:string||DeleteTransactionMetadata
POST /api/ledger/v2/{ledger}/logs/export|ledger.v2.exportLogs|V2ExportLogs|ledger:s:Ledger:string||ExportLogs
GET /api/ledger/v2/{ledger}/accounts/{address}|ledger.v2.getAccount|V2GetAccount|address:s:Address:string expand:s:Expand:*string ledger:s:Ledger:string pit:d:Pit:*time.Time||GetAccount
GET /api/ledger/v2/{ledger}/aggregate/balances|ledger.v2.getBalancesAggregated|V2GetBalancesAggregated|ledger:s:Ledger:string pit:d:Pit:*time.Time query:{*:*}:RequestBody:map[string]any useInsertionDate:b:UseInsertionDate:*bool||GetBalancesAggregated
GET /api/ledger/v2/_/exporters/{exporterID}|ledger.v2.getExporterState|V2GetExporterState|exporterID:s:ExporterID:string||GetExporterState
GET /api/ledger/v2/{ledger}|ledger.v2.getLedger|V2GetLedger|ledger:s:Ledger:string||GetLedger
GET /api/ledger/v2/{ledger}/pipelines/{pipelineID}|ledger.v2.getPipelineState|V2GetPipelineState|ledger:s:Ledger:string pipelineID:s:PipelineID:string||GetPipelineState
GET /api/ledger/v2/{ledger}/schemas/{version}|ledger.v2.getSchema|-|ledger:s:- version:s:-||-
GET /api/ledger/v2/{ledger}/transactions/{id}|ledger.v2.getTransaction|V2GetTransaction|expand:s:Expand:*string id:n:ID:*big.Int ledger:s:Ledger:string pit:d:Pit:*time.Time||GetTransaction
GET /api/ledger/v2/{ledger}/volumes|ledger.v2.getVolumesWithBalances|V2GetVolumesWithBalances|cursor:s:Cursor:*string endTime:d:EndTime:*time.Time groupBy:i:GroupBy:*int64 insertionDate:b:InsertionDate:*bool ledger:s:Ledger:string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any sort:s:Sort:*string startTime:d:StartTime:*time.Time||GetVolumesWithBalances
POST /api/ledger/v2/{ledger}/schemas/{version}|ledger.v2.insertSchema|-|ledger:s:- version:s:-|v2SchemaData {chart!:{*:u},queries:{*:{body:{*:*},description:s,params:u,resource:s,vars:{*:{default:*,type!:s}}}},transactions:{*:{description:s,runtime:s,script!:s}}}|-
GET /api/ledger/v2/{ledger}/accounts|ledger.v2.listAccounts|V2ListAccounts|cursor:s:Cursor:*string expand:s:Expand:*string ledger:s:Ledger:string pageSize:i:PageSize:*int64 pit:d:Pit:*time.Time query:{*:*}:RequestBody:map[string]any sort:s:Sort:*string||ListAccounts
GET /api/ledger/v2/_/exporters|ledger.v2.listExporters|-|||ListExporters
GET /api/ledger/v2|ledger.v2.listLedgers|V2ListLedgers|cursor:s:Cursor:*string includeDeleted:b:- pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any sort:s:Sort:*string||ListLedgers
GET /api/ledger/v2/{ledger}/logs|ledger.v2.listLogs|V2ListLogs|cursor:s:Cursor:*string ledger:s:Ledger:string pageSize:i:PageSize:*int64 pit:d:Pit:*time.Time query:{*:*}:RequestBody:map[string]any sort:s:Sort:*string||ListLogs
GET /api/ledger/v2/{ledger}/pipelines|ledger.v2.listPipelines|V2ListPipelines|ledger:s:Ledger:string||ListPipelines
GET /api/ledger/v2/{ledger}/schemas|ledger.v2.listSchemas|-|cursor:s:- ledger:s:- order:s:- pageSize:i:- sort:s:-||-
GET /api/ledger/v2/{ledger}/transactions|ledger.v2.listTransactions|V2ListTransactions|cursor:s:Cursor:*string expand:s:Expand:*string ledger:s:Ledger:string order:s:Order:*Order pageSize:i:PageSize:*int64 pit:d:Pit:*time.Time query:{*:*}:RequestBody:map[string]any reverse:b:Reverse:*bool sort:s:Sort:*string||ListTransactions
GET /api/ledger/v2/{ledger}/stats|ledger.v2.readStats|V2ReadStats|ledger:s:Ledger:string||ReadStats
POST /api/ledger/v2/{ledger}/pipelines/{pipelineID}/reset|ledger.v2.resetPipeline|V2ResetPipeline|ledger:s:Ledger:string pipelineID:s:PipelineID:string||ResetPipeline
POST /api/ledger/v2/_/buckets/{bucket}/restore|ledger.v2.restoreBucket|-|bucket:s:-||-
POST /api/ledger/v2/{ledger}/transactions/{id}/revert|ledger.v2.revertTransaction|V2RevertTransaction|atEffectiveDate:b:AtEffectiveDate:*bool dryRun:b:DryRun:*bool force:b:Force:*bool id:n:ID:*big.Int ledger:s:Ledger:string schemaVersion:s:-|v2RevertTransactionRequest {metadata:{*:s}}|RevertTransaction V2RevertTransactionRequest *shared.V2RevertTransactionRequest
POST /api/ledger/v2/{ledger}/queries/{id}/run|ledger.v2.runQuery|-|cursor:s:- expand:s:- id:s:- ledger:s:- order:s:- pageSize:i:- pit:d:- reverse:b:- schemaVersion:s:- sort:s:-|requestBody {cursor:s,params:u,vars:{*:s}}|-
POST /api/ledger/v2/{ledger}/pipelines/{pipelineID}/start|ledger.v2.startPipeline|V2StartPipeline|ledger:s:Ledger:string pipelineID:s:PipelineID:string||StartPipeline
POST /api/ledger/v2/{ledger}/pipelines/{pipelineID}/stop|ledger.v2.stopPipeline|V2StopPipeline|ledger:s:Ledger:string pipelineID:s:PipelineID:string||StopPipeline
PUT /api/ledger/v2/_/exporters/{exporterID}|ledger.v2.updateExporter|-|exporterID:s:-|v2ExporterConfiguration {config!:{*:*},driver!:s}|-
PUT /api/ledger/v2/{ledger}/metadata|ledger.v2.updateLedgerMetadata|V2UpdateLedgerMetadata|ledger:s:Ledger:string|requestBody {*:s}|UpdateLedgerMetadata RequestBody map[string]string
PUT /api/orchestration/v2/instances/{instanceID}/abort|orchestration.v2.cancelEvent|V2CancelEvent|instanceID:s:InstanceID:string||CancelEvent
POST /api/orchestration/v2/triggers|orchestration.v2.createTrigger|-||request {event!:s,filter:s,name:s,vars:{*:*},version:s,workflowID!:s}|CreateTrigger request *shared.V2TriggerData
POST /api/orchestration/v2/workflows|orchestration.v2.createWorkflow|-||request {name:s,stages!:[{*:*}]}|CreateWorkflow request *shared.V2WorkflowConfig
DELETE /api/orchestration/v2/triggers/{triggerID}|orchestration.v2.deleteTrigger|V2DeleteTrigger|triggerID:s:TriggerID:string||DeleteTrigger
DELETE /api/orchestration/v2/workflows/{flowId}|orchestration.v2.deleteWorkflow|V2DeleteWorkflow|flowId:s:FlowID:string||DeleteWorkflow
GET /api/orchestration/v2/instances/{instanceID}|orchestration.v2.getInstance|V2GetInstance|instanceID:s:InstanceID:string||GetInstance
GET /api/orchestration/v2/instances/{instanceID}/history|orchestration.v2.getInstanceHistory|V2GetInstanceHistory|instanceID:s:InstanceID:string||GetInstanceHistory
GET /api/orchestration/v2/instances/{instanceID}/stages/{number}/history|orchestration.v2.getInstanceStageHistory|V2GetInstanceStageHistory|instanceID:s:InstanceID:string number:i:Number:int64||GetInstanceStageHistory
GET /api/orchestration/v2/workflows/{flowId}|orchestration.v2.getWorkflow|V2GetWorkflow|flowId:s:FlowID:string||GetWorkflow
GET /api/orchestration/v2/instances|orchestration.v2.listInstances|V2ListInstances|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 running:b:Running:*bool workflowID:s:WorkflowID:*string||ListInstances
GET /api/orchestration/v2/triggers|orchestration.v2.listTriggers|V2ListTriggers|cursor:s:Cursor:*string name:s:Name:*string pageSize:i:PageSize:*int64||ListTriggers
GET /api/orchestration/v2/triggers/{triggerID}/occurrences|orchestration.v2.listTriggersOccurrences|V2ListTriggersOccurrences|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 triggerID:s:TriggerID:string||ListTriggersOccurrences
GET /api/orchestration/v2/workflows|orchestration.v2.listWorkflows|V2ListWorkflows|cursor:s:Cursor:*string pageSize:i:PageSize:*int64||ListWorkflows
GET /api/orchestration/v2/triggers/{triggerID}|orchestration.v2.readTrigger|V2ReadTrigger|triggerID:s:TriggerID:string||ReadTrigger
POST /api/orchestration/v2/workflows/{workflowID}/instances|orchestration.v2.runWorkflow|V2RunWorkflow|wait:b:Wait:*bool workflowID:s:WorkflowID:string|requestBody {*:s}|RunWorkflow RequestBody map[string]string
POST /api/orchestration/v2/instances/{instanceID}/events|orchestration.v2.sendEvent|V2SendEvent|instanceID:s:InstanceID:string|requestBody {name!:s}|SendEvent RequestBody *V2SendEventRequestBody
POST /api/orchestration/v2/triggers/{triggerID}/test|orchestration.v2.testTrigger|TestTrigger|triggerID:s:TriggerID:string|requestBody {*:*}|TestTrigger RequestBody map[string]any
POST /api/payments/v3/pools/{poolID}/accounts/{accountID}|payments.v3.addAccountToPool|V3AddAccountToPool|accountID:s:AccountID:string poolID:s:PoolID:string||AddAccountToPool
POST /api/payments/v3/payment-initiations/{paymentInitiationID}/approve|payments.v3.approvePaymentInitiation|V3ApprovePaymentInitiation|paymentInitiationID:s:PaymentInitiationID:string||ApprovePaymentInitiation
POST /api/payments/v3/accounts|payments.v3.createAccount|-||request {accountName!:s,connectorID!:s,createdAt!:d,defaultAsset:s,metadata:{*:s},reference!:s,type!:s}|CreateAccount request *shared.V3CreateAccountRequest
POST /api/payments/v3/bank-accounts|payments.v3.createBankAccount|-||request {accountNumber:s,country:s,iban:s,metadata:{*:s},name!:s,swiftBicCode:s}|CreateBankAccount request *shared.V3CreateBankAccountRequest
POST /api/payments/v3/payments|payments.v3.createPayment|-||request {adjustments:[{amount:n,asset:s,createdAt!:d,metadata:{*:s},reference!:s,status!:s}],amount!:n,asset!:s,connectorID!:s,createdAt!:d,destinationAccountID:s,initialAmount!:n,metadata:{*:s},reference!:s,scheme!:s,sourceAccountID:s,type!:s}|CreatePayment request *shared.V3CreatePaymentRequest
POST /api/payments/v3/pools|payments.v3.createPool|-||request {accountIDs:[s],name!:s,query:{*:*}}|CreatePool request *shared.V3CreatePoolRequest
DELETE /api/payments/v3/payment-initiations/{paymentInitiationID}|payments.v3.deletePaymentInitiation|V3DeletePaymentInitiation|paymentInitiationID:s:PaymentInitiationID:string||DeletePaymentInitiation
DELETE /api/payments/v3/pools/{poolID}|payments.v3.deletePool|V3DeletePool|poolID:s:PoolID:string||DeletePool
POST /api/payments/v3/bank-accounts/{bankAccountID}/forward|payments.v3.forwardBankAccount|V3ForwardBankAccount|bankAccountID:s:BankAccountID:string|v3ForwardBankAccountRequest {connectorID!:s}|ForwardBankAccount V3ForwardBankAccountRequest *shared.V3ForwardBankAccountRequest
GET /api/payments/v3/accounts/{accountID}|payments.v3.getAccount|V3GetAccount|accountID:s:AccountID:string||GetAccount
GET /api/payments/v3/accounts/{accountID}/balances|payments.v3.getAccountBalances|V3GetAccountBalances|accountID:s:AccountID:string asset:s:Asset:*string cursor:s:Cursor:*string fromTimestamp:d:FromTimestamp:*time.Time pageSize:i:PageSize:*int64 toTimestamp:d:ToTimestamp:*time.Time||GetAccountBalances
GET /api/payments/v3/bank-accounts/{bankAccountID}|payments.v3.getBankAccount|V3GetBankAccount|bankAccountID:s:BankAccountID:string||GetBankAccount
GET /api/payments/v3/connectors/{connectorID}/capabilities|payments.v3.getConnectorCapabilities|-|connectorID:s:-||-
GET /api/payments/v3/connectors/{connectorID}/config|payments.v3.getConnectorConfig|V3GetConnectorConfig|connectorID:s:ConnectorID:string||GetConnectorConfig
GET /api/payments/v3/connectors/{connectorID}/schedules/{scheduleID}|payments.v3.getConnectorSchedule|V3GetConnectorSchedule|connectorID:s:ConnectorID:string scheduleID:s:ScheduleID:string||GetConnectorSchedule
GET /api/payments/v3/payments/{paymentID}|payments.v3.getPayment|V3GetPayment|paymentID:s:PaymentID:string||GetPayment
GET /api/payments/v3/payment-initiations/{paymentInitiationID}|payments.v3.getPaymentInitiation|V3GetPaymentInitiation|paymentInitiationID:s:PaymentInitiationID:string||GetPaymentInitiation
GET /api/payments/v3/pools/{poolID}|payments.v3.getPool|V3GetPool|poolID:s:PoolID:string||GetPool
GET /api/payments/v3/pools/{poolID}/balances|payments.v3.getPoolBalances|V3GetPoolBalances|at:d:At:*time.Time poolID:s:PoolID:string||GetPoolBalances
GET /api/payments/v3/pools/{poolID}/balances/latest|payments.v3.getPoolBalancesLatest|V3GetPoolBalancesLatest|poolID:s:PoolID:string||GetPoolBalancesLatest
GET /api/payments/v3/tasks/{taskID}|payments.v3.getTask|V3GetTask|taskID:s:TaskID:string||GetTask
POST /api/payments/v3/payment-initiations|payments.v3.initiatePayment|V3InitiatePayment|noValidation:b:NoValidation:*bool|v3InitiatePaymentRequest {amount!:n,asset!:s,connectorID!:s,description!:s,destinationAccountID:s,metadata:{*:s},reference!:s,scheduledAt!:d,sourceAccountID:s,type!:s}|InitiatePayment V3InitiatePaymentRequest *shared.V3InitiatePaymentRequest
GET /api/payments/v3/accounts|payments.v3.listAccounts|V3ListAccounts|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListAccounts
GET /api/payments/v3/bank-accounts|payments.v3.listBankAccounts|V3ListBankAccounts|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListBankAccounts
GET /api/payments/v3/connectors/capabilities|payments.v3.listConnectorCapabilities|-|ifNoneMatch:s:-||-
GET /api/payments/v3/connectors/configs|payments.v3.listConnectorConfigs|-|||ListConnectorConfigs
GET /api/payments/v3/connectors/{connectorID}/schedules/{scheduleID}/instances|payments.v3.listConnectorScheduleInstances|V3ListConnectorScheduleInstances|connectorID:s:ConnectorID:string cursor:s:Cursor:*string pageSize:i:PageSize:*int64 scheduleID:s:ScheduleID:string||ListConnectorScheduleInstances
GET /api/payments/v3/connectors/{connectorID}/schedules|payments.v3.listConnectorSchedules|V3ListConnectorSchedules|connectorID:s:ConnectorID:string cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListConnectorSchedules
GET /api/payments/v3/connectors|payments.v3.listConnectors|V3ListConnectors|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListConnectors
GET /api/payments/v3/payment-initiations/{paymentInitiationID}/adjustments|payments.v3.listPaymentInitiationAdjustments|V3ListPaymentInitiationAdjustments|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 paymentInitiationID:s:PaymentInitiationID:string query:{*:*}:RequestBody:map[string]any||ListPaymentInitiationAdjustments
GET /api/payments/v3/payment-initiations/{paymentInitiationID}/payments|payments.v3.listPaymentInitiationRelatedPayments|V3ListPaymentInitiationRelatedPayments|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 paymentInitiationID:s:PaymentInitiationID:string query:{*:*}:RequestBody:map[string]any||ListPaymentInitiationRelatedPayments
GET /api/payments/v3/payment-initiations|payments.v3.listPaymentInitiations|V3ListPaymentInitiations|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListPaymentInitiations
GET /api/payments/v3/payments|payments.v3.listPayments|V3ListPayments|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListPayments
GET /api/payments/v3/pools|payments.v3.listPools|V3ListPools|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:RequestBody:map[string]any||ListPools
POST /api/payments/v3/payment-initiations/{paymentInitiationID}/reject|payments.v3.rejectPaymentInitiation|V3RejectPaymentInitiation|paymentInitiationID:s:PaymentInitiationID:string||RejectPaymentInitiation
DELETE /api/payments/v3/pools/{poolID}/accounts/{accountID}|payments.v3.removeAccountFromPool|V3RemoveAccountFromPool|accountID:s:AccountID:string poolID:s:PoolID:string||RemoveAccountFromPool
POST /api/payments/v3/connectors/{connectorID}/reset|payments.v3.resetConnector|V3ResetConnector|connectorID:s:ConnectorID:string||ResetConnector
POST /api/payments/v3/payment-initiations/{paymentInitiationID}/retry|payments.v3.retryPaymentInitiation|V3RetryPaymentInitiation|paymentInitiationID:s:PaymentInitiationID:string||RetryPaymentInitiation
POST /api/payments/v3/payment-initiations/{paymentInitiationID}/reverse|payments.v3.reversePaymentInitiation|V3ReversePaymentInitiation|paymentInitiationID:s:PaymentInitiationID:string|v3ReversePaymentInitiationRequest {amount!:n,asset!:s,description!:s,metadata:{*:s},reference!:s}|ReversePaymentInitiation V3ReversePaymentInitiationRequest *shared.V3ReversePaymentInitiationRequest
DELETE /api/payments/v3/connectors/{connectorID}|payments.v3.uninstallConnector|V3UninstallConnector|connectorID:s:ConnectorID:string||UninstallConnector
PATCH /api/payments/v3/bank-accounts/{bankAccountID}/metadata|payments.v3.updateBankAccountMetadata|V3UpdateBankAccountMetadata|bankAccountID:s:BankAccountID:string|v3UpdateBankAccountMetadataRequest {metadata!:{*:s}}|UpdateBankAccountMetadata V3UpdateBankAccountMetadataRequest *shared.V3UpdateBankAccountMetadataRequest
PATCH /api/payments/v3/payments/{paymentID}/metadata|payments.v3.updatePaymentMetadata|V3UpdatePaymentMetadata|paymentID:s:PaymentID:string|v3UpdatePaymentMetadataRequest {metadata!:{*:s}}|UpdatePaymentMetadata V3UpdatePaymentMetadataRequest *shared.V3UpdatePaymentMetadataRequest
PATCH /api/payments/v3/pools/{poolID}/query|payments.v3.updatePoolQuery|-|poolID:s:-|v3UpdatePoolQueryRequest {query!:{*:*}}|-
POST /api/reconciliation/alerts/{alertID}/accept|reconciliation.v1.acceptAlert|-|alertID:s:-|acceptAlertRequest {by!:s,note!:s}|-
POST /api/reconciliation/alerts/{alertID}/ack|reconciliation.v1.ackAlert|-|alertID:s:-|ackAlertRequest {by!:s,note:s}|-
POST /api/reconciliation/policies|reconciliation.v1.createPolicy|-||request {ledgerName!:s,ledgerQuery!:{*:*},name!:s,paymentsPoolID!:s}|CreatePolicy request shared.PolicyRequest
POST /api/reconciliation/rules|reconciliation.v1.createRule|-||request {cadence:s,enabled:b,labels:{*:s},name!:s,notifications:[s],schedule:{expr:s,kind!:s,safetyMargin:s,tz:s},severity:s,templateKind!:s,templateSpec!:{*:*}}|-
DELETE /api/reconciliation/policies/{policyID}|reconciliation.v1.deletePolicy|DeletePolicy|policyID:s:PolicyID:string||DeletePolicy
DELETE /api/reconciliation/rules/{ruleID}|reconciliation.v1.deleteRule|-|ruleID:s:-||-
POST /api/reconciliation/rules/{ruleID}/evaluate|reconciliation.v1.evaluateRule|-|ruleID:s:-|evaluateRuleRequest {at:d,safetyMargin:s,sourcePITs:{*:d}}|-
GET /api/reconciliation/alerts/{alertID}|reconciliation.v1.getAlert|-|alertID:s:-||-
GET /api/reconciliation/evaluations/{evaluationID}|reconciliation.v1.getEvaluation|-|evaluationID:s:-||-
GET /api/reconciliation/policies/{policyID}|reconciliation.v1.getPolicy|GetPolicy|policyID:s:PolicyID:string||GetPolicy
GET /api/reconciliation/reconciliations/{reconciliationID}|reconciliation.v1.getReconciliation|GetReconciliation|reconciliationID:s:ReconciliationID:string||GetReconciliation
GET /api/reconciliation/rules/{ruleID}|reconciliation.v1.getRule|-|ruleID:s:-||-
GET /api/reconciliation/alerts/{alertID}/events|reconciliation.v1.listAlertEvents|-|alertID:s:- cursor:s:- pageSize:i:-||-
GET /api/reconciliation/alerts|reconciliation.v1.listAlerts|-|cursor:s:- pageSize:i:- query:{*:*}:-||-
GET /api/reconciliation/evaluations|reconciliation.v1.listEvaluations|-|cursor:s:- pageSize:i:- query:{*:*}:-||-
GET /api/reconciliation/policies|reconciliation.v1.listPolicies|ListPolicies|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:-||ListPolicies
GET /api/reconciliation/reconciliations|reconciliation.v1.listReconciliations|ListReconciliations|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 query:{*:*}:-||ListReconciliations
GET /api/reconciliation/rules|reconciliation.v1.listRules|-|cursor:s:- pageSize:i:- query:{*:*}:-||-
PATCH /api/reconciliation/rules/{ruleID}|reconciliation.v1.patchRule|-|ruleID:s:-|rulePatchRequest {enabled:b,labels:{*:s},name:s,notifications:[s],schedule:{expr:s,kind!:s,safetyMargin:s,tz:s},severity:s,templateKind:s,templateSpec:{*:*}}|-
POST /api/reconciliation/policies/{policyID}/reconciliation|reconciliation.v1.reconcile|Reconcile|policyID:s:PolicyID:string|reconciliationRequest {reconciledAtLedger!:d,reconciledAtPayments!:d}|Reconcile ReconciliationRequest shared.ReconciliationRequest
POST /api/reconciliation/alerts/{alertID}/resolve|reconciliation.v1.resolveAlert|-|alertID:s:-|resolveAlertRequest {by!:s,note:s,transactionRefs:[s]}|-
POST /api/reconciliation/alerts/{alertID}/snooze|reconciliation.v1.snoozeAlert|-|alertID:s:-|snoozeAlertRequest {by!:s,note:s,until!:d}|-
POST /api/reconciliation/alerts/{alertID}/unsnooze|reconciliation.v1.unsnoozeAlert|-|alertID:s:-|unsnoozeAlertRequest {by!:s}|-
POST /api/wallets/holds/{hold_id}/confirm|wallets.v1.confirmHold|ConfirmHold|holdId:s:HoldID:string|confirmHoldRequest {amount:n,final:b}|ConfirmHold ConfirmHoldRequest *shared.ConfirmHoldRequest
POST /api/wallets/wallets/{id}/balances|wallets.v1.createBalance|CreateBalance|id:s:ID:string|balance {expiresAt:d,name!:s,priority:n}|CreateBalance CreateBalanceRequest *shared.CreateBalanceRequest
POST /api/wallets/wallets|wallets.v1.createWallet|CreateWallet||createWalletRequest {metadata!:{*:s},name!:s}|CreateWallet CreateWalletRequest *shared.CreateWalletRequest
POST /api/wallets/wallets/{id}/credit|wallets.v1.creditWallet|CreditWallet|id:s:ID:string|creditWalletRequest {amount!:{amount!:n,asset!:s},balance:s,metadata:{*:s},reference:s,sources:[u],timestamp:d}|CreditWallet CreditWalletRequest *shared.CreditWalletRequest
POST /api/wallets/wallets/{id}/debit|wallets.v1.debitWallet|DebitWallet|id:s:ID:string|debitWalletRequest {amount!:{amount!:n,asset!:s},balances:[s],description:s,destination:u,metadata!:{*:s},pending:b,timestamp:d}|DebitWallet DebitWalletRequest *shared.DebitWalletRequest
GET /api/wallets/wallets/{id}/balances/{balanceName}|wallets.v1.getBalance|GetBalance|balanceName:s:BalanceName:string id:s:ID:string||GetBalance
GET /api/wallets/holds/{holdID}|wallets.v1.getHold|GetHold|holdID:s:HoldID:string||GetHold
GET /api/wallets/holds|wallets.v1.getHolds|GetHolds|cursor:s:Cursor:*string metadata:{*:s}:Metadata:map[string]string pageSize:i:PageSize:*int64 walletID:s:WalletID:*string||GetHolds
GET /api/wallets/transactions|wallets.v1.getTransactions|GetTransactions|cursor:s:Cursor:*string pageSize:i:PageSize:*int64 walletID:s:WalletID:*string||GetTransactions
GET /api/wallets/wallets/{id}|wallets.v1.getWallet|GetWallet|id:s:ID:string||GetWallet
GET /api/wallets/wallets/{id}/summary|wallets.v1.getWalletSummary|GetWalletSummary|id:s:ID:string||GetWalletSummary
GET /api/wallets/wallets/{id}/balances|wallets.v1.listBalances|ListBalances|id:s:ID:string||ListBalances
GET /api/wallets/wallets|wallets.v1.listWallets|ListWallets|cursor:s:Cursor:*string expand:s:Expand:*string metadata:{*:s}:Metadata:map[string]string name:s:Name:*string pageSize:i:PageSize:*int64||ListWallets
PATCH /api/wallets/wallets/{id}|wallets.v1.updateWallet|UpdateWallet|id:s:ID:string|requestBody {metadata!:{*:s}}|UpdateWallet RequestBody *UpdateWalletRequestBody
POST /api/wallets/holds/{hold_id}/void|wallets.v1.voidHold|VoidHold|holdId:s:HoldID:string||VoidHold
PUT /api/webhooks/configs/{id}/activate|webhooks.v1.activateConfig|ActivateConfig|id:s:ID:string||ActivateConfig
PUT /api/webhooks/configs/{id}/secret/change|webhooks.v1.changeConfigSecret|ChangeConfigSecret|id:s:ID:string|configChangeSecret {secret!:s}|ChangeConfigSecret ConfigChangeSecret *shared.ConfigChangeSecret
PUT /api/webhooks/configs/{id}/deactivate|webhooks.v1.deactivateConfig|DeactivateConfig|id:s:ID:string||DeactivateConfig
DELETE /api/webhooks/configs/{id}|webhooks.v1.deleteConfig|DeleteConfig|id:s:ID:string||DeleteConfig
GET /api/webhooks/deliveries|webhooks.v1.getDeliveries|-|configId:s:- createdAtFrom:d:- createdAtTo:d:- cursor:s:- pageSize:i:- status:s:-||-
GET /api/webhooks/deliveries/{id}|webhooks.v1.getDelivery|-|id:s:-||-
GET /api/webhooks/deliveries/{id}/attempts|webhooks.v1.getDeliveryAttempts|-|cursor:s:- id:s:- pageSize:i:-||-
GET /api/webhooks/configs|webhooks.v1.getManyConfigs|GetManyConfigs|endpoint:s:Endpoint:*string id:s:ID:*string||GetManyConfigs
POST /api/webhooks/configs|webhooks.v1.insertConfig|-||request {endpoint!:s,eventTypes!:[s],secret:s}|InsertConfig request shared.ConfigUser
GET /api/webhooks/configs/{id}/test|webhooks.v1.testConfig|TestConfig|id:s:ID:string||TestConfig
PUT /api/webhooks/configs/{id}|webhooks.v1.updateConfig|UpdateConfig|id:s:ID:string|configUser {endpoint!:s,eventTypes!:[s],secret:s}|UpdateConfig ConfigUser shared.ConfigUser
`;

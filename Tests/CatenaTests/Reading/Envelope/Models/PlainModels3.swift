import Catena

// Models of public resources, each by the keys that a caller would ask for. Generated from names and keys; see `PlainModel`.
extension PlainModels {
    struct Otp: PlainModel {
        var code: JSON
        var expiresIn: JSON
    }
    struct Pairing: PlainModel {
        var code: JSON
        var url: JSON
    }
    struct DeviceCode: PlainModel {
        var device_code: JSON
        var user_code: JSON
    }
    struct Snippet: PlainModel {
        var id: JSON
        var code: JSON
        var language: JSON
    }
    struct Piston: PlainModel {
        var run: JSON
        var language: JSON
    }
    struct Judge0: PlainModel {
        var token: JSON
        var status: JSON
        var stdout: JSON?
    }
    struct Token: PlainModel {
        var access_token: JSON
        var token_type: JSON
    }
    struct Introspect2: PlainModel {
        var active: JSON
        var client_id: JSON
    }
    struct JwtClaims: PlainModel {
        var sub: JSON
        var exp: JSON
    }
    struct User: PlainModel {
        var id: JSON
        var name: JSON
        var email: JSON
    }
    struct ProfileErrorNull: PlainModel {
        var id: JSON
        var name: JSON
        var error: JSON?
    }
    struct FlagSet: PlainModel {
        var flags: JSON
        var count: JSON
    }
    struct Feature: PlainModel {
        var name: JSON
        var enabled: JSON
    }
    struct Experiment: PlainModel {
        var id: JSON
        var success: JSON
        var failure: JSON
    }
    struct StatsErrors: PlainModel {
        var requests: JSON
        var errors: JSON
    }
    struct JobCounts: PlainModel {
        var waiting: JSON
        var active: JSON
        var failed: JSON
    }
    struct ValidationObj: PlainModel {
        var valid: JSON
        var errors: JSON
    }
    struct ValidationOk: PlainModel {
        var valid: JSON
        var errors: JSON
    }
    struct ValidatorNu: PlainModel {
        var messages: JSON
        var url: JSON
    }
    struct EmailCheck: PlainModel {
        var email: JSON
        var status: JSON
        var reason: JSON
    }
    struct PhoneCheck: PlainModel {
        var valid: JSON
        var phone_number: JSON
        var calling_country_code: JSON
    }
    struct VatCheck: PlainModel {
        var isValid: JSON
        var requestDate: JSON
        var userError: JSON
    }
    struct ImportResult: PlainModel {
        var total: JSON
        var success: JSON
        var failed: JSON
        var errors: JSON
    }
    struct ImportJob: PlainModel {
        var id: JSON
        var status: JSON
        var errors: JSON
    }
    struct BulkResult: PlainModel {
        var took: JSON
        var errors: JSON
        var items: JSON
    }
    struct Vote: PlainModel {
        var success: JSON
        var total: JSON
    }
    struct GameResult: PlainModel {
        var id: JSON
        var result: JSON
        var score: JSON
    }
    struct OpenaiRespFailed: PlainModel {
        var id: JSON
        var status: JSON
        var error: JSON?
    }
    struct OpenaiChat: PlainModel {
        var id: JSON
        var choices: JSON
    }
    struct OpenaiFt: PlainModel {
        var id: JSON
        var status: JSON
        var error: JSON?
    }
    struct OpenaiBatch: PlainModel {
        var id: JSON
        var status: JSON
        var errors: JSON?
    }
    struct OpenaiEmbed: PlainModel {
        var object: JSON
        var data: JSON
        var model: JSON
        var usage: JSON
    }
    struct AnthropicBatchResult: PlainModel {
        var custom_id: JSON
        var result: JSON
    }
    struct Replicate: PlainModel {
        var id: JSON
        var status: JSON
        var error: JSON?
        var output: JSON?
    }
    struct HfClassify: PlainModel {
        var labels: JSON
        var scores: JSON
        var sequence: JSON
    }
    struct TaskCelery: PlainModel {
        var task_id: JSON
        var status: JSON
        var result: JSON?
        var traceback: JSON?
    }
    struct TaskOwnCn: PlainModel {
        var taskId: JSON
        var status: JSON
        var msg: JSON?
        var progress: JSON
    }
    struct JobErrorObj: PlainModel {
        var id: JSON
        var state: JSON
        var error: JSON?
    }
    struct Transcode: PlainModel {
        var id: JSON
        var status: JSON
        var errorCode: JSON?
        var errorMessage: JSON?
    }
    struct AirflowDagrun: PlainModel {
        var dag_run_id: JSON
        var state: JSON
        var dag_id: JSON
    }
    struct SnowflakeStmt: PlainModel {
        var code: JSON
        var message: JSON
        var statementHandle: JSON
        var data: JSON
    }
    struct EsIndex: PlainModel {
        var _id: JSON
        var result: JSON
        var _version: JSON
    }
    struct EsCluster: PlainModel {
        var cluster_name: JSON
        var status: JSON
    }
    struct EsCount: PlainModel {
        var count: JSON
    }
    struct CouchDoc: PlainModel {
        var _id: JSON
        var _rev: JSON
    }
    struct CouchInfo: PlainModel {
        var couchdb: JSON
        var version: JSON
    }
    struct MongoCmd: PlainModel {
        var insertedId: JSON
        var acknowledged: JSON
    }
    struct MongoRaw: PlainModel {
        var n: JSON
        var nModified: JSON
        var ok: JSON
    }
    struct MongoWrite: PlainModel {
        var ok: JSON
        var n: JSON
        var writeErrors: JSON?
    }
    struct Influx: PlainModel {
        var results: JSON
    }
    struct Algolia: PlainModel {
        var hits: JSON
        var nbHits: JSON
        var page: JSON
    }
    struct MeiliTask: PlainModel {
        var uid: JSON
        var status: JSON
        var error: JSON?
    }
    struct ScimList: PlainModel {
        var totalResults: JSON
        var Resources: JSON
    }
    struct FhirBundle: PlainModel {
        var resourceType: JSON
        var total: JSON
        var entry: JSON
    }
    struct FhirOutcome: PlainModel {
        var resourceType: JSON
        var issue: JSON
    }
    struct FhirPatient: PlainModel {
        var resourceType: JSON
        var id: JSON
        var name: JSON
    }
    struct Jsonfeed: PlainModel {
        var version: JSON
        var title: JSON
        var items: JSON
    }
    struct Activity: PlainModel {
        var type: JSON
        var id: JSON
        var actor: JSON
        var object: JSON
    }
    struct MastoStatus: PlainModel {
        var id: JSON
        var content: JSON
    }
    struct Oembed: PlainModel {
        var type: JSON
        var version: JSON
        var html: JSON
    }

    static let part3: [String: any PlainModel.Type] = [
        "otp": Otp.self,
        "pairing": Pairing.self,
        "device_code": DeviceCode.self,
        "snippet": Snippet.self,
        "piston": Piston.self,
        "judge0": Judge0.self,
        "token": Token.self,
        "introspect2": Introspect2.self,
        "jwt_claims": JwtClaims.self,
        "user": User.self,
        "profile_error_null": ProfileErrorNull.self,
        "flag_set": FlagSet.self,
        "feature": Feature.self,
        "experiment": Experiment.self,
        "stats_errors": StatsErrors.self,
        "job_counts": JobCounts.self,
        "validation_obj": ValidationObj.self,
        "validation_ok": ValidationOk.self,
        "validator_nu": ValidatorNu.self,
        "email_check": EmailCheck.self,
        "phone_check": PhoneCheck.self,
        "vat_check": VatCheck.self,
        "import_result": ImportResult.self,
        "import_job": ImportJob.self,
        "bulk_result": BulkResult.self,
        "vote": Vote.self,
        "game_result": GameResult.self,
        "openai_resp_failed": OpenaiRespFailed.self,
        "openai_chat": OpenaiChat.self,
        "openai_ft": OpenaiFt.self,
        "openai_batch": OpenaiBatch.self,
        "openai_embed": OpenaiEmbed.self,
        "anthropic_batch_result": AnthropicBatchResult.self,
        "replicate": Replicate.self,
        "hf_classify": HfClassify.self,
        "task_celery": TaskCelery.self,
        "task_own_cn": TaskOwnCn.self,
        "job_error_obj": JobErrorObj.self,
        "transcode": Transcode.self,
        "airflow_dagrun": AirflowDagrun.self,
        "snowflake_stmt": SnowflakeStmt.self,
        "es_index": EsIndex.self,
        "es_cluster": EsCluster.self,
        "es_count": EsCount.self,
        "couch_doc": CouchDoc.self,
        "couch_info": CouchInfo.self,
        "mongo_cmd": MongoCmd.self,
        "mongo_raw": MongoRaw.self,
        "mongo_write": MongoWrite.self,
        "influx": Influx.self,
        "algolia": Algolia.self,
        "meili_task": MeiliTask.self,
        "scim_list": ScimList.self,
        "fhir_bundle": FhirBundle.self,
        "fhir_outcome": FhirOutcome.self,
        "fhir_patient": FhirPatient.self,
        "jsonfeed": Jsonfeed.self,
        "activity": Activity.self,
        "masto_status": MastoStatus.self,
        "oembed": Oembed.self,
    ]
}

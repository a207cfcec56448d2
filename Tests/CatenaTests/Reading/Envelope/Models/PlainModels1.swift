import Catena

// Models of public resources, each by the keys that a caller would ask for. Generated from names and keys; see `PlainModel`.
extension PlainModels {
    struct GhCheckRun: PlainModel {
        var id: JSON
        var status: JSON
        var conclusion: JSON?
    }
    struct GhCommitStatus: PlainModel {
        var state: JSON
        var description: JSON?
        var context: JSON
    }
    struct GhCombined: PlainModel {
        var state: JSON
        var statuses: JSON
        var sha: JSON
    }
    struct GhRun: PlainModel {
        var id: JSON
        var status: JSON
        var conclusion: JSON?
    }
    struct GhGitCommit: PlainModel {
        var sha: JSON
        var message: JSON
    }
    struct GhCodeAlert: PlainModel {
        var number: JSON
        var state: JSON
        var rule: JSON
    }
    struct GhAnnotation: PlainModel {
        var path: JSON
        var message: JSON
        var annotation_level: JSON
    }
    struct GhMerge: PlainModel {
        var sha: JSON
        var merged: JSON
        var message: JSON
    }
    struct GhContentPut: PlainModel {
        var content: JSON
        var commit: JSON
    }
    struct GhRateLimit: PlainModel {
        var resources: JSON
        var rate: JSON
    }
    struct GlPipeline: PlainModel {
        var id: JSON
        var status: JSON
        var ref: JSON
        var yaml_errors: JSON?
    }
    struct GlLint: PlainModel {
        var valid: JSON
        var errors: JSON
        var warnings: JSON
    }
    struct GlMrMergeError: PlainModel {
        var iid: JSON
        var state: JSON
        var merge_error: JSON?
    }
    struct TravisBuild: PlainModel {
        var id: JSON
        var state: JSON
        var number: JSON
    }
    struct SonarGate: PlainModel {
        var projectStatus: JSON
    }
    struct VercelDeploy: PlainModel {
        var id: JSON
        var readyState: JSON
        var errorMessage: JSON?
    }
    struct NetlifyDeploy: PlainModel {
        var id: JSON
        var state: JSON
        var error_message: JSON?
    }
    struct HerokuBuild: PlainModel {
        var id: JSON
        var status: JSON
    }
    struct TerraformRun: PlainModel {
        var data: JSON
    }
    struct SemverCheck: PlainModel {
        var valid: JSON
        var version: JSON
    }
    struct NpmAudit: PlainModel {
        var metadata: JSON
        var vulnerabilities: JSON
    }
    struct EslintResult: PlainModel {
        var filePath: JSON
        var messages: JSON
        var errorCount: JSON
    }
    struct JunitSummary: PlainModel {
        var tests: JSON
        var failures: JSON
        var errors: JSON
    }
    struct TestResult: PlainModel {
        var name: JSON
        var success: JSON
        var duration: JSON
    }
    struct LintIssue: PlainModel {
        var code: JSON
        var message: JSON
        var line: JSON
    }
    struct CompilerDiag: PlainModel {
        var code: JSON
        var message: JSON
        var severity: JSON
    }
    struct StCharge: PlainModel {
        var id: JSON
        var status: JSON
        var amount: JSON
        var failure_code: JSON?
        var failure_message: JSON?
    }
    struct StEvent: PlainModel {
        var id: JSON
        var type: JSON
        var data: JSON
    }
    struct StPi: PlainModel {
        var id: JSON
        var status: JSON
        var last_payment_error: JSON?
    }
    struct StDeleted: PlainModel {
        var id: JSON
        var deleted: JSON
    }
    struct StCoupon: PlainModel {
        var id: JSON
        var code: JSON
    }
    struct AdyenPay: PlainModel {
        var pspReference: JSON
        var resultCode: JSON
    }
    struct AdyenRefused: PlainModel {
        var pspReference: JSON
        var resultCode: JSON
        var refusalReason: JSON?
    }
    struct AdyenAction: PlainModel {
        var resultCode: JSON
        var action: JSON
    }
    struct RzpPayment: PlainModel {
        var id: JSON
        var status: JSON
        var error_code: JSON?
        var error_description: JSON?
    }
    struct MolliePayment: PlainModel {
        var id: JSON
        var status: JSON
        var details: JSON?
    }
    struct SquarePayment: PlainModel {
        var payment: JSON
    }
    struct WechatTrade: PlainModel {
        var out_trade_no: JSON
        var trade_state: JSON
        var trade_state_desc: JSON
    }
    struct PayOwn: PlainModel {
        var orderId: JSON
        var code: JSON
        var amount: JSON
    }
    struct VoucherNum: PlainModel {
        var code: JSON
        var amount: JSON
    }
    struct ExchangeRate: PlainModel {
        var result: JSON
        var base_code: JSON
        var conversion_rates: JSON
    }
    struct FxPlain: PlainModel {
        var base: JSON
        var date: JSON
        var rates: JSON
    }
    struct Ticker: PlainModel {
        var symbol: JSON
        var price: JSON
    }
    struct Ticker24: PlainModel {
        var symbol: JSON
        var lastPrice: JSON
        var count: JSON
    }
    struct OrderStatus: PlainModel {
        var orderId: JSON
        var status: JSON
    }
    struct K8sPod: PlainModel {
        var kind: JSON
        var metadata: JSON
        var status: JSON
    }
    struct K8sEvent: PlainModel {
        var kind: JSON
        var reason: JSON
        var message: JSON
        var type: JSON
    }
    struct K8sList: PlainModel {
        var kind: JSON
        var items: JSON
    }
    struct K8sVersion: PlainModel {
        var major: JSON
        var minor: JSON
        var gitVersion: JSON
    }
    struct DockerWaitErr: PlainModel {
        var StatusCode: JSON
        var Error: JSON?
    }
    struct DockerCreate: PlainModel {
        var Id: JSON
        var Warnings: JSON
    }
    struct DockerExec: PlainModel {
        var ID: JSON
        var ExitCode: JSON
    }
    struct HelmRelease: PlainModel {
        var name: JSON
        var info: JSON
    }
    struct AzureOp: PlainModel {
        var status: JSON
        var error: JSON?
    }
    struct GcpLro: PlainModel {
        var name: JSON
        var done: JSON
        var error: JSON?
    }
    struct AwsStack: PlainModel {
        var StackStatus: JSON
        var StackId: JSON
    }
    struct AwsStepfn: PlainModel {
        var executionArn: JSON
        var status: JSON
        var error: JSON?
        var cause: JSON?
    }
    struct AwsBatchItem: PlainModel {
        var Successful: JSON
        var Failed: JSON
    }
    struct AwsLambdaCfg: PlainModel {
        var FunctionName: JSON
        var State: JSON
        var LastUpdateStatus: JSON
    }
    struct DoAction: PlainModel {
        var action: JSON
    }

    static let part1: [String: any PlainModel.Type] = [
        "gh_check_run": GhCheckRun.self,
        "gh_commit_status": GhCommitStatus.self,
        "gh_combined": GhCombined.self,
        "gh_run": GhRun.self,
        "gh_git_commit": GhGitCommit.self,
        "gh_code_alert": GhCodeAlert.self,
        "gh_annotation": GhAnnotation.self,
        "gh_merge": GhMerge.self,
        "gh_content_put": GhContentPut.self,
        "gh_rate_limit": GhRateLimit.self,
        "gl_pipeline": GlPipeline.self,
        "gl_lint": GlLint.self,
        "gl_mr_merge_error": GlMrMergeError.self,
        "travis_build": TravisBuild.self,
        "sonar_gate": SonarGate.self,
        "vercel_deploy": VercelDeploy.self,
        "netlify_deploy": NetlifyDeploy.self,
        "heroku_build": HerokuBuild.self,
        "terraform_run": TerraformRun.self,
        "semver_check": SemverCheck.self,
        "npm_audit": NpmAudit.self,
        "eslint_result": EslintResult.self,
        "junit_summary": JunitSummary.self,
        "test_result": TestResult.self,
        "lint_issue": LintIssue.self,
        "compiler_diag": CompilerDiag.self,
        "st_charge": StCharge.self,
        "st_event": StEvent.self,
        "st_pi": StPi.self,
        "st_deleted": StDeleted.self,
        "st_coupon": StCoupon.self,
        "adyen_pay": AdyenPay.self,
        "adyen_refused": AdyenRefused.self,
        "adyen_action": AdyenAction.self,
        "rzp_payment": RzpPayment.self,
        "mollie_payment": MolliePayment.self,
        "square_payment": SquarePayment.self,
        "wechat_trade": WechatTrade.self,
        "pay_own": PayOwn.self,
        "voucher_num": VoucherNum.self,
        "exchange_rate": ExchangeRate.self,
        "fx_plain": FxPlain.self,
        "ticker": Ticker.self,
        "ticker_24": Ticker24.self,
        "order_status": OrderStatus.self,
        "k8s_pod": K8sPod.self,
        "k8s_event": K8sEvent.self,
        "k8s_list": K8sList.self,
        "k8s_version": K8sVersion.self,
        "docker_wait_err": DockerWaitErr.self,
        "docker_create": DockerCreate.self,
        "docker_exec": DockerExec.self,
        "helm_release": HelmRelease.self,
        "azure_op": AzureOp.self,
        "gcp_lro": GcpLro.self,
        "aws_stack": AwsStack.self,
        "aws_stepfn": AwsStepfn.self,
        "aws_batch_item": AwsBatchItem.self,
        "aws_lambda_cfg": AwsLambdaCfg.self,
        "do_action": DoAction.self,
    ]
}

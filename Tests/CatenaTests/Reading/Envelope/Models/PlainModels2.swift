import Catena

// Models of public resources, each by the keys that a caller would ask for. Generated from names and keys; see `PlainModel`.
extension PlainModels {
    struct CfZonePlain: PlainModel {
        var id: JSON
        var name: JSON
        var status: JSON
    }
    struct ConsulHealth: PlainModel {
        var Node: JSON
        var CheckID: JSON
        var Status: JSON
        var Output: JSON
    }
    struct ArgoApp: PlainModel {
        var metadata: JSON
        var status: JSON
    }
    struct PromAlert: PlainModel {
        var status: JSON
        var receiver: JSON
        var alerts: JSON
    }
    struct GrafanaHealth: PlainModel {
        var commit: JSON
        var database: JSON
        var version: JSON
    }
    struct SentryEvent: PlainModel {
        var eventID: JSON
        var message: JSON
        var errors: JSON
    }
    struct HttpLog: PlainModel {
        var method: JSON
        var path: JSON
        var status: JSON
        var duration: JSON
    }
    struct HttpLogMsg: PlainModel {
        var method: JSON
        var status: JSON
        var message: JSON
    }
    struct WebhookDelivery: PlainModel {
        var id: JSON
        var status_code: JSON
        var event: JSON
    }
    struct WebhookAttempt: PlainModel {
        var id: JSON
        var responseStatusCode: JSON
        var status: JSON
    }
    struct DeliverySuccess: PlainModel {
        var id: JSON
        var success: JSON
        var response_code: JSON
    }
    struct HealthActuator: PlainModel {
        var status: JSON
        var components: JSON
    }
    struct HealthTerminus: PlainModel {
        var status: JSON
        var info: JSON
        var error: JSON
        var details: JSON
    }
    struct HealthChecks: PlainModel {
        var status: JSON
        var checks: JSON
    }
    struct HealthFail: PlainModel {
        var status: JSON
        var checks: JSON
        var version: JSON
    }
    struct HealthStatusFail: PlainModel {
        var status: JSON
        var services: JSON
    }
    struct UptimeMonitor: PlainModel {
        var id: JSON
        var status: JSON
        var url: JSON
    }
    struct LogEntry: PlainModel {
        var level: JSON
        var message: JSON
        var time: JSON
    }
    struct LogEntry2: PlainModel {
        var level: JSON
        var msg: JSON
        var time: JSON
    }
    struct LoginAttempt: PlainModel {
        var id: JSON
        var success: JSON
        var ip: JSON
    }
    struct Speedtest: PlainModel {
        var id: JSON
        var status: JSON
        var result: JSON?
    }
    struct Ping: PlainModel {
        var success: JSON
        var host: JSON
        var latency: JSON?
    }
    struct ChatMsg: PlainModel {
        var id: JSON
        var message: JSON
        var from: JSON
    }
    struct ChatMsgData: PlainModel {
        var id: JSON
        var message: JSON
        var data: JSON
        var type: JSON
    }
    struct PushMsg: PlainModel {
        var title: JSON
        var message: JSON
    }
    struct SmsTwilio: PlainModel {
        var sid: JSON
        var status: JSON
        var body: JSON
        var error_code: JSON?
    }
    struct SmsVonage: PlainModel {
        var message_count: JSON
        var messages: JSON
        enum CodingKeys: String, CodingKey {
            case message_count = "message-count"
            case messages
        }
    }
    struct Mail: PlainModel {
        var id: JSON
        var threadId: JSON
        var snippet: JSON
    }
    struct MailBounce: PlainModel {
        var email: JSON
        var reason: JSON
        var status: JSON
        var created: JSON
    }
    struct MailgunSent: PlainModel {
        var id: JSON
        var message: JSON
    }
    struct MailgunEvent: PlainModel {
        var event: JSON
        var id: JSON
        var delivery_status: JSON
        enum CodingKeys: String, CodingKey {
            case event
            case id
            case delivery_status = "delivery-status"
        }
    }
    struct TelegramMsg: PlainModel {
        var message_id: JSON
        var text: JSON
    }
    struct SlackEvent: PlainModel {
        var type: JSON
        var event: JSON
        var team_id: JSON
    }
    struct DiscordMsg: PlainModel {
        var id: JSON
        var content: JSON
    }
    struct ImMessage: PlainModel {
        var msgId: JSON
        var data: JSON
        var msgType: JSON
    }
    struct Translation2: PlainModel {
        var code: JSON
        var message: JSON
        var dir: JSON
    }
    struct Greeting: PlainModel {
        var message: JSON
    }
    struct Comment: PlainModel {
        var id: JSON
        var message: JSON
        var user: JSON
    }
    struct FbPost: PlainModel {
        var id: JSON
        var message: JSON
        var created_time: JSON
    }
    struct Ticket: PlainModel {
        var id: JSON
        var subject: JSON
        var status: JSON
    }
    struct Feedback: PlainModel {
        var id: JSON
        var message: JSON
        var status: JSON
    }
    struct AlertIot: PlainModel {
        var id: JSON
        var code: JSON
        var message: JSON
        var severity: JSON
    }
    struct IotReading: PlainModel {
        var deviceId: JSON
        var temperature: JSON
        var time: JSON
    }
    struct Obd: PlainModel {
        var code: JSON
        var description: JSON
        var system: JSON
    }
    struct Printer: PlainModel {
        var state: JSON
        var temperature: JSON
    }
    struct OctoprintJob: PlainModel {
        var job: JSON
        var progress: JSON
        var state: JSON
        var error: JSON?
    }
    struct Country: PlainModel {
        var code: JSON
        var name: JSON
    }
    struct Currency: PlainModel {
        var code: JSON
        var name: JSON
        var rate: JSON
    }
    struct ZipResult: PlainModel {
        var status: JSON
        var result: JSON
    }
    struct HsCode: PlainModel {
        var code: JSON
        var description: JSON
    }
    struct Icd: PlainModel {
        var code: JSON
        var title: JSON
    }
    struct RegionNum: PlainModel {
        var code: JSON
        var name: JSON
        var level: JSON
    }
    struct StatusDict: PlainModel {
        var code: JSON
        var message: JSON
        var category: JSON
    }
    struct WeatherCond: PlainModel {
        var code: JSON
        var text: JSON
    }
    struct ErrorCatalog: PlainModel {
        var code: JSON
        var message: JSON
        var solution: JSON
    }
    struct ProductSku: PlainModel {
        var code: JSON
        var name: JSON
        var price: JSON
    }
    struct ProductOff: PlainModel {
        var code: JSON
        var product: JSON
        var status: JSON
        var status_verbose: JSON
    }
    struct ProductDesc: PlainModel {
        var id: JSON
        var code: JSON
        var description: JSON
    }
    struct Course: PlainModel {
        var id: JSON
        var code: JSON
        var title: JSON
    }
    struct Discount: PlainModel {
        var code: JSON
        var percent: JSON
    }

    static let part2: [String: any PlainModel.Type] = [
        "cf_zone_plain": CfZonePlain.self,
        "consul_health": ConsulHealth.self,
        "argo_app": ArgoApp.self,
        "prom_alert": PromAlert.self,
        "grafana_health": GrafanaHealth.self,
        "sentry_event": SentryEvent.self,
        "http_log": HttpLog.self,
        "http_log_msg": HttpLogMsg.self,
        "webhook_delivery": WebhookDelivery.self,
        "webhook_attempt": WebhookAttempt.self,
        "delivery_success": DeliverySuccess.self,
        "health_actuator": HealthActuator.self,
        "health_terminus": HealthTerminus.self,
        "health_checks": HealthChecks.self,
        "health_fail": HealthFail.self,
        "health_status_fail": HealthStatusFail.self,
        "uptime_monitor": UptimeMonitor.self,
        "log_entry": LogEntry.self,
        "log_entry2": LogEntry2.self,
        "login_attempt": LoginAttempt.self,
        "speedtest": Speedtest.self,
        "ping": Ping.self,
        "chat_msg": ChatMsg.self,
        "chat_msg_data": ChatMsgData.self,
        "push_msg": PushMsg.self,
        "sms_twilio": SmsTwilio.self,
        "sms_vonage": SmsVonage.self,
        "mail": Mail.self,
        "mail_bounce": MailBounce.self,
        "mailgun_sent": MailgunSent.self,
        "mailgun_event": MailgunEvent.self,
        "telegram_msg": TelegramMsg.self,
        "slack_event": SlackEvent.self,
        "discord_msg": DiscordMsg.self,
        "im_message": ImMessage.self,
        "translation2": Translation2.self,
        "greeting": Greeting.self,
        "comment": Comment.self,
        "fb_post": FbPost.self,
        "ticket": Ticket.self,
        "feedback": Feedback.self,
        "alert_iot": AlertIot.self,
        "iot_reading": IotReading.self,
        "obd": Obd.self,
        "printer": Printer.self,
        "octoprint_job": OctoprintJob.self,
        "country": Country.self,
        "currency": Currency.self,
        "zip_result": ZipResult.self,
        "hs_code": HsCode.self,
        "icd": Icd.self,
        "region_num": RegionNum.self,
        "status_dict": StatusDict.self,
        "weather_cond": WeatherCond.self,
        "error_catalog": ErrorCatalog.self,
        "product_sku": ProductSku.self,
        "product_off": ProductOff.self,
        "product_desc": ProductDesc.self,
        "course": Course.self,
        "discount": Discount.self,
    ]
}

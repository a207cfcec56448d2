import Catena

// Models of public resources, each by the keys that a caller would ask for. Generated from names and keys; see `PlainModel`.
extension PlainModels {
    struct LogCn: PlainModel {
        var id: JSON
        var code: JSON
        var msg: JSON
        var time: JSON
    }
    struct Lottery: PlainModel {
        var result: JSON
        var prize: JSON
    }
    struct JobShort: PlainModel {
        var id: JSON
        var status: JSON
        var message: JSON
    }
    struct JobErrors: PlainModel {
        var id: JSON
        var status: JSON
        var errors: JSON
    }
    struct TodoStatus: PlainModel {
        var title: JSON
        var status: JSON
    }
    struct LampStatus: PlainModel {
        var name: JSON
        var status: JSON
    }
    struct LampDesc: PlainModel {
        var name: JSON
        var status: JSON
        var description: JSON
    }
    struct FeatureDesc: PlainModel {
        var description: JSON
        var status: JSON
    }
    struct EventData: PlainModel {
        var event: JSON
        var data: JSON
    }
    struct TypedData: PlainModel {
        var type: JSON
        var data: JSON
    }

    static let part5: [String: any PlainModel.Type] = [
        "log_cn": LogCn.self,
        "lottery": Lottery.self,
        "job_short": JobShort.self,
        "job_errors": JobErrors.self,
        "todo_status": TodoStatus.self,
        "lamp_status": LampStatus.self,
        "lamp_desc": LampDesc.self,
        "feature_desc": FeatureDesc.self,
        "event_data": EventData.self,
        "typed_data": TypedData.self,
    ]
}

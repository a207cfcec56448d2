import Catena

/// The filter and the limit of a request for calls, of a page or an agent.
struct CallQuery: Sendable {
    /// The id of the call before which the wanted calls began. Ids do not have quite the order of the beginnings.
    var before: UInt64?
    var limit = 200
    private var tag: String?
    /// A status, or a class of statuses such as `4xx`.
    private var status: String?
    private var text: String?
    private var failures = false

    init(_ items: [(name: String, value: String?)]) throws(Doorkeeper.Refusal) {
        for (name, value) in items {
            guard let value, !value.isEmpty else { continue }
            switch name {
            case "before": before = try Self.number(name, value)
            case "limit": limit = Int(clamping: min(max(try Self.number(name, value), 1), 200))
            case "tag": tag = value
            case "status": status = value.lowercased()
            case "text": text = value.lowercased()
            case "failures": failures = value == "1" || value == "true"
            default: break
            }
        }
    }

    private static func number(_ name: String, _ value: String) throws(Doorkeeper.Refusal) -> UInt64 {
        guard let number = UInt64(value) else { throw .init(status: 400, words: "\"\(name)\" is not a number.") }
        return number
    }

    /// Whether a call may match. Compares only the tag, so that most calls need no row.
    func mayBe(_ inspected: InspectedCall) -> Bool {
        tag == nil || inspected.tag?.name == tag
    }

    func fits(_ row: CallRow) -> Bool {
        if failures, row.state != .failed { return false }
        if let status {
            let own = row.status.map { "\($0)" } ?? ""
            guard status.hasSuffix("xx") ? own.prefix(1) == status.prefix(1) : own == status else { return false }
        }
        guard let text else { return true }
        return [row.method, row.host + row.path, row.message, row.code, row.tag, row.kind].contains {
            $0?.lowercased().contains(text) == true
        }
    }
}

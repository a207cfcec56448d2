import Catena
import Foundation

/// A row of the list of calls.
struct CallRow: Sendable {
    enum State: String, Sendable {
        case running, succeeded, failed, cancelled
    }

    let id: UInt64
    var tag: String?
    var method = ""
    var host = ""
    var path = ""
    var state = State.running
    var status: Int?
    var code: String?
    var kind: String?
    var message = ""
    /// Milliseconds since 1970.
    var started = 0.0
    /// Milliseconds, up to now if the call is in progress.
    var duration = 0.0
    var sent: Int?
    var received: Int?
    var expected: Int?
    /// The bytes of the request's body sent so far, while it is being uploaded.
    var uploaded: Int?
    var attempts = 0
    var source: String?
    var freshness: String?
    var effects: [String] = []

    private static let longestMessage = 200

    init(_ inspected: InspectedCall, _ contents: InspectedCall.Contents, _ view: CallView) {
        id = inspected.callID
        tag = inspected.tag?.name
        let redaction = view.redaction(of: inspected)
        let latest = contents.latest
        if let request = latest?.request ?? contents.request {
            method = request.method.name
            host = request.address.origin
            let address = request.address
            let shown = redaction?.redact(address) ?? address.text
            path = String(decoding: shown.utf8.dropFirst(host.utf8.count), as: UTF8.self)
            sent = request.bodySize.map { latest?.requestSize ?? $0 }
        } else if let described = contents.described ?? contents.failure?.request {
            method = described.method.name
            (host, path) = Self.parts(of: described.url)
        }
        started = view.epoch(inspected.start)
        duration = ((contents.end?.time ?? view.now) - inspected.start).milliseconds
        attempts = contents.attemptCount
        effects = contents.effects
        code = contents.code.map { shown($0.description, redaction) }
        status = latest?.response?.status
        received = latest.flatMap { $0.responseSize ?? $0.response?.body.count }
        if contents.isPassedOn {
            received = Int(contents.received)
            expected = contents.expected.map(Int.init)
        } else if contents.sent > 0, contents.end == nil, latest?.response == nil {
            uploaded = Int(contents.sent)
        }
        source = contents.isShared ? "shared" : latest?.response?.source.name
        if let result = contents.end?.result { end(result, redaction, contents) }
        if effects.contains("stub"), source != nil { source = "stub" }
    }

    private mutating func end(_ result: Result<HTTPResponse, any Error>, _ redaction: Redaction?, _ contents: InspectedCall.Contents) {
        switch result {
        case .success(let response):
            state = .succeeded
            status = response.status
            if contents.latest == nil { received = response.body.count }
            if !contents.isShared { source = response.source.name }
            freshness = response.freshness?.rawValue
        case .failure(let error):
            guard let error = error as? APIError else {
                state = error is CancellationError ? .cancelled : .failed
                kind = state == .failed ? "other" : "cancelled"
                message = state == .failed ? shown(String(describing: type(of: error)), redaction) : ""
                return
            }
            state = error.kind == .cancelled ? .cancelled : .failed
            kind = error.kind.name
            status = error.status ?? status
            code = shown(error.code.description, redaction)
            message = shown(error.message, redaction)
        }
    }

    private func shown(_ text: String, _ redaction: Redaction?) -> String {
        if text.isEmpty { return "" }
        let start = text.prefix(Self.longestMessage)
        return (redaction?.line(String(start)) ?? String(start)) + (start.endIndex < text.endIndex ? "…" : "")
    }

    /// Returns the origin and the path of an address that may be invalid.
    private static func parts(of address: String) -> (host: String, path: String) {
        guard let scheme = address.range(of: "://") else { return ("", address) }
        let end = address[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex
        return (String(address[..<end]), String(address[end...]))
    }
}

extension CallRow {
    func write(into output: inout JSONOutput) {
        output.object { row in
            row.member("id", Int(id))
            row.member("tag", tag)
            row.member("method", method)
            row.member("host", host)
            row.member("path", path)
            row.member("state", state.rawValue)
            row.member("status", status)
            row.member("code", code)
            row.member("kind", kind)
            row.member("message", message)
            row.member("started", milliseconds: started)
            row.member("ms", milliseconds: duration)
            row.member("sent", sent)
            row.member("received", received)
            row.member("expected", expected)
            row.member("uploaded", uploaded)
            row.member("attempts", attempts)
            row.member("source", source)
            row.member("freshness", freshness)
            row.key("effects")
            row.array(effects) { $0.string($1) }
        }
    }
}

/// The settings and the clock with which calls are shown.
struct CallView: Sendable {
    var showsSecrets: Bool
    /// The time of the client's clock.
    let now: Duration
    /// The client clock's zero, in milliseconds since 1970.
    let zero: Double

    /// Returns the redaction of a call, or `nil` if secrets are shown.
    func redaction(of inspected: InspectedCall) -> Redaction? { showsSecrets ? nil : inspected.redaction }

    func epoch(_ time: Duration) -> Double { zero + time.milliseconds }
}

extension Duration {
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
    }
}

extension InspectedCall.Contents {
    /// The error of a failed call, if it is Catena's.
    var failure: APIError? {
        if case .failure(let error) = end?.result { error as? APIError } else { nil }
    }
}

extension HTTPRequest {
    /// The bytes of the body, or `nil` if there is no body or its length is unknown.
    var bodySize: Int? { body.map(\.count) ?? bodySource?.length.map { Int($0) } }
}

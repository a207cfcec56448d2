package import Foundation

/// One attempt of a call, as logs and archives show it.
package struct RecordedCall: Sendable {
    package var request: HTTPRequest
    package var tag: Tag?
    package var attempt = 1
    /// When the attempt began.
    package var started: Date
    package var timings = CallTimings()
    package var response: HTTPResponse?
    /// Why the attempt failed; there may be a response nevertheless.
    var error: APIError?

    /// How long the bodies were before they were cut.
    private var wholeSizes: (request: Int, response: Int)?

    package init(
        request: HTTPRequest, tag: Tag? = nil, attempt: Int = 1, started: Date, timings: CallTimings = CallTimings(),
        response: HTTPResponse? = nil, error: APIError? = nil
    ) {
        self.request = request
        self.tag = tag
        self.attempt = attempt
        self.started = started
        self.timings = timings
        self.response = response
        self.error = error
    }

    var requestSize: Int { wholeSizes?.request ?? request.body?.count ?? 0 }
    var responseSize: Int { wholeSizes?.response ?? response?.body.count ?? 0 }

    /// The call with no more of its bodies than is going to be shown, so that the rest can go.
    func cut(to limit: Int) -> RecordedCall {
        var call = self
        call.wholeSizes = (requestSize, responseSize)
        call.request.body = request.body.map { Self.cut($0, to: limit) }
        call.request.bodySource = nil
        call.response = response?.withoutBaggage
        if let body = response?.body { call.response?.body = Self.cut(body, to: limit) }
        // The response has it.
        call.error?.body = nil
        return call
    }

    private static func cut(_ body: Data, to limit: Int) -> Data {
        // By way of an array: a slice would keep the whole.
        body.count > limit ? Data([UInt8](body.prefix(limit))) : body
    }

    /// About how many bytes the call takes.
    var size: Int {
        let fields = request.headers.fields + (response?.headers.fields ?? [])
        let texts = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return 1024 + texts + (request.body?.count ?? 0) + (response?.body.count ?? 0) + (error?.message.utf8.count ?? 0)
    }
}

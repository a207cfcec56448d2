import Catena
import Tracing

/// The names and attributes of spans, following OpenTelemetry's semantic conventions for HTTP (1.23 and later).
enum SpanFields {
    /// The methods in the conventions. Others become `_OTHER`, so that the number of names is bounded.
    private static let methods: Set<String> = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]

    /// Returns the method as the span's name, because there is no path template.
    static func name(of request: HTTPRequest) -> String {
        methods.contains(request.method.name) ? request.method.name : "HTTP"
    }

    static func describe(_ call: Call, ofKind kind: SpanKind, in attributes: inout SpanAttributes) {
        let (method, address) = (call.request.method.name, call.request.address)
        attributes["http.request.method"] = methods.contains(method) ? method : "_OTHER"
        if !methods.contains(method) { attributes["http.request.method_original"] = method }
        attributes["server.address"] = address.host
        attributes["server.port"] = address.port ?? (address.scheme == "https" ? 443 : 80)
        // `description` hides secrets; `text` does not.
        attributes["url.full"] = address.description
        if let tag = call.tag { attributes["catena.tag"] = tag.name }
        if kind == .client, call.attempt > 1 { attributes["http.request.resend_count"] = call.attempt - 1 }
    }

    static func end(_ span: any Span, status: Int) {
        span.updateAttributes { $0["http.response.status_code"] = status }
    }

    /// Ends a span with an error's kind and code, without a secret that the server repeats there. The message may contain what is no secret and yet
    /// private. Cancellation is not recorded as a failure.
    static func end(_ span: any Span, _ error: any Error) {
        if error is CancellationError { return }
        let error = error as? APIError
        let kind = error?.kind ?? .other
        span.updateAttributes { attributes in
            if let status = error?.status { attributes["http.response.status_code"] = status }
            attributes["error.type"] = kind == .status ? error?.status.map { "\($0)" } ?? kind.name : kind.name
        }
        span.setStatus(SpanStatus(code: .error, message: error.map { "\($0.kind) \($0.codeDescription)" } ?? kind.name))
    }
}

/// Adds a tracer's context to headers. Skips invalid headers, which would fail the call, and those that the request already has.
struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        guard !headers.contains(key), Self.isName(key), Self.isValue(value) else { return }
        headers.add(value, for: key)
    }

    /// Whether the key is a token (RFC 9110 §5.6.2), and not a header that only the transport sets.
    private static func isName(_ key: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        let isToken = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            default: marks.contains(byte)
            }
        }
        return !key.isEmpty && isToken && !["content-length", "host", "transfer-encoding"].contains(key.lowercased())
    }

    /// Whether the value has only visible ASCII characters and spaces between them (RFC 9110 §5.5).
    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && value.first != " " && value.last != " "
    }
}

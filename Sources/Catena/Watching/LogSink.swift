import CatenaPlatform

#if canImport(os)
import os
#endif

/// A destination of log entries. Copies of a sink are the same destination.
public struct LogSink: Sendable {
    /// An object that identifies a sink.
    final class Identity: Sendable {}

    /// Returns the function that writes the entry of an attempt that is ending.
    let writer: @Sendable () -> @Sendable (LogEntry) -> Void
    let identity = Identity()

    /// Creates a sink from a closure.
    ///
    /// - Parameter write: Receives the texts one after the other, each without a line break at its end.
    public init(_ write: @escaping @Sendable (String) -> Void) {
        self.init(writer: { { write($0.text) } })
    }

    private init(writer: @escaping @Sendable () -> @Sendable (LogEntry) -> Void) {
        self.writer = writer
    }

    // Not another `init`, because a trailing closure would fit both.
    /// Returns a sink for a structured log.
    ///
    /// - Parameter write: Receives the entries one after the other.
    public static func entries(_ write: @escaping @Sendable (LogEntry) -> Void) -> LogSink {
        LogSink(writer: { write })
    }

    /// Returns a sink for a structured log that also contains task-local values of the call, such as an ID of the caller.
    ///
    /// ```swift
    /// LogSink.entries(capturing: { Caller.id }) { entry, id in screen.show(entry, id) }
    /// ```
    ///
    /// - Parameters:
    ///   - context: Reads task-local values. It is called in a task of the call, once for each entry when its attempt ends. The call waits
    ///     for it, so it should do nothing else.
    ///   - write: Receives the entries one after the other, in the background, each with the value that `context` returned for it.
    public static func entries<Context: Sendable>(
        capturing context: @escaping @Sendable () -> Context, _ write: @escaping @Sendable (LogEntry, Context) -> Void
    ) -> LogSink {
        LogSink(writer: {
            let captured = context()
            return { write($0, captured) }
        })
    }

    /// Writes to standard error, with a line break after each text.
    public static let standardError = LogSink { StandardError.write(line: $0) }

    /// Writes to the log of the system: OSLog on Apple platforms, standard error elsewhere.
    public static let system: LogSink = {
        #if canImport(os)
        // Public, because the text contains no secrets and the rest is useful only if it can be read.
        let logger = Logger(subsystem: "catena", category: "calls")
        return LogSink { text in logger.info("\(text, privacy: .public)") }
        #else
        return .standardError
        #endif
    }()
}

/// The level of detail of a log.
public enum LogDetail: Sendable, Hashable {
    /// One line for each attempt: `GET https://h/p → 200, 120 bytes in 12.3 ms [forum]`.
    case oneLine
    /// The line of ``oneLine``, and below it headers, bodies and phases.
    case verbose
}

/// Writes a log on a background queue.
final class CallLogWriter: Sendable {
    private let detail: LogDetail
    private let sink: LogSink
    private let format = LogFormat()
    private let records = CallRecords()
    let queue = ObservationQueue(label: "catena.log")

    init(detail: LogDetail, sink: LogSink) {
        self.detail = detail
        self.sink = sink
    }

    /// Stores only the part of each body that will be shown, so that a slow sink retains no whole bodies.
    func note(_ event: CallEvent) {
        for attempt in records.record(event) {
            let call = attempt.cut(to: detail == .verbose ? LogFormat.bytesRead : 0)
            add(size: call.size) { [detail, format] in
                LogEntry(detail == .verbose ? format.verbose(call) : format.line(call), of: call)
            }
        }
        if case .finished(.failure(let error)) = event.kind, event.request == nil {
            let error = APIError.wrapping(error)
            add(size: 1024 + error.message.utf8.count) { [format] in
                LogEntry(format.line(error, tag: event.tag), of: event, failure: error.kind)
            }
        }
    }

    private func add(size: Int, _ entry: @escaping @Sendable () -> LogEntry) {
        // Called here and not on the queue, which has no task-local values of the caller.
        let write = sink.writer()
        queue.add(size: size) {
            write(entry())
        } whenDropped: { [sink] count in
            let words = count == 1 ? "entry is" : "entries are"
            sink.writer()(LogEntry("(\(count) \(words) missing here: too much was waiting to be written)"))
        }
    }
}

/// Formats calls for people to read, without secrets.
struct LogFormat: Sendable {
    var redaction = Redaction.standard
    /// The maximum number of characters shown of a body.
    var longestBody = 4096
    /// The number of bytes read for these characters, which have at most four bytes each.
    static let bytesRead = 4 * 4096

    /// Formats a call as one line: `GET https://h/p → 200, 120 bytes in 12.3 ms [forum]`
    func line(_ call: RecordedCall) -> String {
        let redaction = redaction(of: call)
        var line = "\(call.request.method) \(redaction.redact(call.request.address)) → "
        switch (call.response, call.error) {
        case (let response?, let error?): line += "\(response.status), \(redaction.line(words(error)))"
        case (let response?, nil): line += "\(response.status), \(call.responseSize) bytes"
        case (nil, let error?): line += redaction.line(words(error))
        case (nil, nil): line += "no response yet"
        }
        if !call.timings.phases.isEmpty { line += " in \(call.timings.total.milliseconds)" }
        if call.response?.source == .cache { line += " from the cache" }
        if call.attempt > 1 { line += " (attempt \(call.attempt))" }
        if let tag = call.tag { line += " [\(tag)]" }
        return redaction.byName.line(line)
    }

    /// Returns the redaction of the call's tag.
    private func redaction(of call: RecordedCall) -> Redaction { call.request.redaction ?? redaction }

    private func words(_ error: APIError) -> String {
        "\(error.kind) \(error.code)" + (error.message.isEmpty ? "" : " \(error.message)")
    }

    /// Formats a call whose request could not be created: `invalidRequest -1 host: there is none [forum]`
    func line(_ error: APIError, tag: Tag?) -> String {
        redaction.line(words(error) + (tag.map { " [\($0)]" } ?? ""))
    }

    /// Formats the line and, below it, the headers and bodies of both messages and the duration of each phase.
    func verbose(_ call: RecordedCall) -> String {
        var lines = [line(call)]
        if !call.timings.phases.isEmpty { lines.append("  \(call.timings)") }
        let redaction = redaction(of: call)
        let isEncoded = call.request.headers.hasContentCoding
        lines += message(call.request.headers, call.request.body, of: call.requestSize, isEncoded: isEncoded, redaction, mark: "  > ")
        if let response = call.response {
            lines += message(response.headers, response.body, of: call.responseSize, redaction, mark: "  < ")
        }
        return lines.joined(separator: "\n")
    }

    /// - Parameter isEncoded: Whether the body has a content coding. That of a response has been removed.
    private func message(
        _ headers: HTTPHeaders, _ body: Data?, of size: Int, isEncoded: Bool = false, _ redaction: Redaction, mark: String
    ) -> [String] {
        var lines = redaction.redact(headers).fields.map { "\($0.name): \($0.value)" }
        if let body, !body.isEmpty {
            lines.append("")
            let text = isEncoded ? "(\(size) bytes)" : text(of: body, size, headers["Content-Type"], redaction)
            lines += text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        }
        // Every line has a mark, so that nothing in a body can look like the next call.
        return lines.map { line in
            let shown = line.prefix(Redaction.longestLine)
            return mark + Redaction.unbroken(shown) + (shown.endIndex < line.endIndex ? "…" : "")
        }
    }

    private func text(of body: Data, _ size: Int, _ contentType: String?, _ redaction: Redaction) -> String {
        let body = ShownBody(body, of: size, contentType: contentType, hiding: redaction, limit: Self.bytesRead)
        guard case .text(let shown) = body.content else { return "(\(size) bytes)" }
        let start = shown.prefix(longestBody)
        return start.endIndex < shown.endIndex || body.isCut ? start + "… (\(size) bytes)" : shown
    }
}

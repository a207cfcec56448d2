import Foundation

#if canImport(os)
import os
#endif

/// Where log lines go.
public struct LogSink: Sendable {
    let write: @Sendable (String) -> Void

    /// - Parameter write: Is given one text after the other, each without a line break at its end.
    public init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    public static let standardError = LogSink { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }

    /// The log of the system, where it has one: OSLog on Apple platforms, standard error elsewhere.
    public static let system: LogSink = {
        #if canImport(os)
        // Secrets are out of it already; what is left is of use only if it can be read.
        let logger = Logger(subsystem: "catena", category: "calls")
        return LogSink { text in logger.info("\(text, privacy: .public)") }
        #else
        return .standardError
        #endif
    }()
}

/// How much a log tells of each call.
public enum LogDetail: Sendable, Hashable {
    /// `GET https://h/p → 200, 120 bytes in 12.3 ms [forum]`
    case oneLine
    /// That, and below it headers, bodies and phases.
    case verbose
}

extension Client {
    /// Logs every attempt of every call, without secrets.
    ///
    /// ```swift
    /// client.log()
    /// client.log(.verbose, to: .standardError)
    /// client.log(.oneLine, to: LogSink { line in screen.append(line) })
    /// ```
    ///
    /// Each further one is another log. It runs as an observer does: after the fact, and never in the way of a call.
    public func log(_ detail: LogDetail = .oneLine, to sink: LogSink = .system) {
        let log = CallLogWriter(detail: detail, sink: sink)
        observeAtOnce { log.note($0) }
    }
}

/// Writes a log, behind the calls.
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

    /// Takes what will be shown and no more, so that a slow sink keeps no bodies.
    func note(_ event: CallEvent) {
        if let call = records.record(event)?.cut(to: detail == .verbose ? LogFormat.bytesRead : 0) {
            add(size: call.size) { [detail, format] in detail == .verbose ? format.verbose(call) : format.line(call) }
        } else if case .finished(.failure(let error)) = event.kind, event.request == nil {
            let error = APIError.wrapping(error)
            add(size: 1024 + error.message.utf8.count) { [format] in format.line(error, tag: event.tag) }
        }
    }

    private func add(size: Int, _ text: @escaping @Sendable () -> String) {
        queue.add(size: size) { [sink] in
            sink.write(text())
        } whenDropped: { [sink] count in
            sink.write("(\(count) \(count == 1 ? "entry is" : "entries are") missing here: too much was waiting to be written)")
        }
    }
}

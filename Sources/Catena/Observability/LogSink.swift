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
        let records = CallRecords()
        let format = LogFormat()
        observe { event in
            if let call = records.record(event) {
                sink.write(detail == .verbose ? format.verbose(call) : format.line(call))
            } else if case .finished(.failure(let error)) = event.kind, event.request == nil {
                sink.write(format.line(APIError.wrapping(error), tag: event.tag))
            }
        }
    }
}

public import Catena
public import Logging

extension LogSink {
    /// A sink that writes to a logger of swift-log: one entry for each attempt, at the level of its outcome.
    ///
    /// ```swift
    /// API.log(to: .logger(Logger(label: "calls")))
    /// ```
    ///
    /// The message is the line of Catena's own log, which has no secrets. The metadata are `tag`, `method`, `status`, `attempt`, `call`
    /// (the ID of the call), `failure` (the kind) and `source`, as far as the entry has them; those of the logger itself are kept, and those
    /// of its metadata provider are read in the task of the call, so that they are those of the caller.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: The level of an entry; by default that of ``Logging/Logger/Level/ofOutcome(_:)``.
    public static func logger(
        _ logger: Logger, level: @escaping @Sendable (LogEntry) -> Logger.Level = Logger.Level.ofOutcome
    ) -> LogSink {
        guard let provider = logger.metadataProvider else {
            return .entries { entry in logger.log(level: level(entry), "\(entry.text)", metadata: entry.metadata) }
        }
        return .entries(capturing: { provider.get() }) { entry, caller in
            logger.log(level: level(entry), "\(entry.text)", metadata: caller.merging(entry.metadata) { _, own in own })
        }
    }
}

extension Logger.Level {
    /// `info` for a success and a cancelled attempt, `error` for a status of 500 or more and for an attempt without a response, `warning`
    /// for other failures and for entries about the log itself.
    public static func ofOutcome(_ entry: LogEntry) -> Logger.Level {
        guard entry.callID != nil else { return .warning }
        guard let failure = entry.failure, failure != .cancelled else { return .info }
        guard let status = entry.status else { return .error }
        return status >= 500 ? .error : .warning
    }
}

extension LogEntry {
    /// The parts of the entry as metadata.
    var metadata: Logger.Metadata {
        let parts: [(key: String, value: String?)] = [
            ("tag", tag?.name), ("method", method?.name), ("status", status.map(String.init)), ("attempt", attempt.map(String.init)),
            ("call", callID.map(String.init)), ("failure", failure?.name), ("source", source?.name),
        ]
        return Logger.Metadata(uniqueKeysWithValues: parts.compactMap { part in part.value.map { (part.key, .string($0)) } })
    }
}

public import Catena
public import Logging

extension LogSink {
    /// Makes a sink that writes to a logger of swift-log: one entry for each attempt, at the level of its outcome.
    ///
    /// ```swift
    /// API.log(to: .logger(Logger(label: "calls")))
    /// ```
    ///
    /// The message is the line of Catena's own log, without secrets. The metadata are `tag`, `method`, `status`, `attempt`, `call` (the ID of the call),
    /// `failure` (the kind) and `source`, if the entry has them. The logger's own metadata are kept. Its metadata provider is read in the task of the call,
    /// so that it returns the caller's values.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: Returns the level of an entry. By default ``Logging/Logger/Level/ofOutcome(_:)``.
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
    /// Returns `info` for a success or a cancelled attempt, and `error` for a status of at least 500 or an attempt without a response. Returns `warning` for
    /// other failures and for entries about the log itself.
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

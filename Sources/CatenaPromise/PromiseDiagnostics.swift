import CatenaPlatform

/// Diagnostics of the promises in this process.
public enum PromiseDiagnostics {
    /// An error that no handler has seen.
    public struct UnhandledError: Sendable {
        /// The error with which the chain ended.
        public let error: any Error
        /// The file in which the chain began, or "" if it began before the handler was installed.
        public let file: String
        /// The line in which the chain began, or 0 if it began before the handler was installed.
        public let line: UInt
    }

    /// The handler that receives each error that ends a chain unseen, once, when the end of the chain is freed.
    ///
    /// ```swift
    /// PromiseDiagnostics.onUnhandledError = { unhandled in log.error("\(unhandled.file):\(unhandled.line): \(unhandled.error)") }
    /// ```
    ///
    /// Debug builds have a default handler, which writes a line without secrets to standard error, at most once a second for each place. A value
    /// that is set, even `nil`, replaces the default handler.
    ///
    /// The handler runs on the thread that released the promise, so it should pass the error on and return. The place where a chain began is
    /// recorded only while a handler is installed.
    public static var onUnhandledError: (@Sendable (UnhandledError) -> Void)? {
        get { handler.withLock { $0 } }
        set {
            let former = handler.withLock { handler in
                let former = handler
                handler = newValue
                return former
            }
            isInstalled.set(newValue != nil)
            _ = consume former
        }
    }

    private static let handler = Mutex<(@Sendable (UnhandledError) -> Void)?>(handlerByDefault)
    private static let isInstalled = AtomicFlag(handlerByDefault != nil)

    private static var handlerByDefault: (@Sendable (UnhandledError) -> Void)? {
        #if DEBUG
        { UnhandledErrorLog.standardError.note($0) }
        #else
        nil
        #endif
    }

    private static let describing = Mutex<(@Sendable (any Error) -> String)?>(nil)

    /// Sets the closure that describes errors in printed reports.
    package static func describeErrors(_ describe: @escaping @Sendable (any Error) -> String) {
        describing.withLock { $0 = describe }
    }

    /// The text printed for an error: only its domain and code, unless Catena has installed a redacting description.
    static func words(of error: any Error) -> String {
        if let describe = describing.withLock({ $0 }) { return describe(error) }
        if let error = error as? PromiseError { return error.description }
        return error.domainAndCode
    }

    @usableFromInline
    package static func origin(_ file: StaticString, _ line: UInt) -> PromiseOrigin? {
        if isInstalled.isSet { return PromiseOrigin(file: file, line: line, scope: PromiseScope.around) }
        guard let scope = PromiseScope.around else { return nil }
        return PromiseOrigin(file: file, line: line, scope: scope)
    }

    /// Whether a handler is installed.
    static var isListening: Bool { isInstalled.isSet }

    static func report(_ error: any Error, from origin: PromiseOrigin?) {
        guard isInstalled.isSet, let handler = onUnhandledError else { return }
        handler(UnhandledError(error: error, file: origin?.file.description ?? "", line: origin?.line ?? 0))
    }
}

/// The place in the source where a chain began, and the scope there.
@usableFromInline
package final class PromiseOrigin: Sendable {
    let file: StaticString
    let line: UInt
    let scope: PromiseScope?

    init(file: StaticString, line: UInt, scope: PromiseScope?) {
        self.file = file
        self.line = line
        self.scope = scope
    }
}

/// Writes unhandled errors to a log, one per line.
///
/// It writes at most one line a second for each place, so that a loop of failures does not flood the log. The next line counts those omitted.
final class UnhandledErrorLog: Sendable {
    static let standardError = UnhandledErrorLog(now: { SystemClock.shared.now }, write: StandardError.write(line:))

    private let now: @Sendable () -> Duration
    private let write: @Sendable (String) -> Void
    private let limit = Mutex(ReportLimit())

    init(now: @escaping @Sendable () -> Duration, write: @escaping @Sendable (String) -> Void) {
        self.now = now
        self.write = write
    }

    func note(_ report: PromiseDiagnostics.UnhandledError) {
        let place = report.file.isEmpty ? "" : " from \(report.file):\(report.line)"
        let now = now()
        guard let omitted = limit.withLock({ $0.admit(place, at: now) }) else { return }
        let more = omitted > 0 ? " (\(omitted) more since the last such line)" : ""
        write("Catena: unhandled failure\(place): \(PromiseDiagnostics.words(of: report.error))\(more)")
    }
}

/// Limits the reports of each place.
struct ReportLimit {
    private struct Place {
        var told: Duration
        var omitted = 0
    }

    /// The minimum time between two lines of one place.
    static let pause = Duration.seconds(1)
    /// The maximum number of places reported within that time.
    static let mostPlaces = 256

    private var places: [String: Place] = [:]

    /// Returns the number of reports of the place omitted before this one, or `nil` if this one is omitted too.
    mutating func admit(_ place: String, at now: Duration) -> Int? {
        if let known = places[place], now - known.told < Self.pause {
            places[place]?.omitted += 1
            return nil
        }
        if places[place] == nil, places.count >= Self.mostPlaces {
            places = places.filter { now - $0.value.told < Self.pause }
            guard places.count < Self.mostPlaces else { return nil }
        }
        return places.updateValue(Place(told: now), forKey: place)?.omitted ?? 0
    }
}

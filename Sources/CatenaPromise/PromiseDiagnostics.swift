import Foundation

/// What the promises of this process report about themselves.
public enum PromiseDiagnostics {
    /// An error that nobody looked at.
    public struct UnhandledError: Sendable {
        /// The error with which the chain ended.
        public let error: any Error
        /// The file in which the chain began, or "" if it began before the handler was installed.
        public let file: String
        /// The line in which the chain began, or 0 if it began before the handler was installed.
        public let line: UInt
    }

    /// Called once for each chain that ends with an error that no handler has seen, when that end is freed.
    ///
    /// ```swift
    /// PromiseDiagnostics.onUnhandledError = { unhandled in log.error("\(unhandled.file):\(unhandled.line): \(unhandled.error)") }
    /// ```
    ///
    /// In debug builds there is a handler from the start, which writes a line to standard error, without secrets, and of one place once
    /// in a second. Setting another one, or `nil`, takes its place.
    ///
    /// The handler runs on the thread that dropped the promise, so it should hand the error on and return. The place where a chain
    /// began is recorded only while a handler is installed; without one it costs nothing.
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

    /// Says what may be printed of an error where nobody has asked for it.
    package static func describeErrors(_ describe: @escaping @Sendable (any Error) -> String) {
        describing.withLock { $0 = describe }
    }

    /// What may be printed of an error: until somebody has said it who knows about secrets, hardly anything.
    static func words(of error: any Error) -> String {
        if let describe = describing.withLock({ $0 }) { return describe(error) }
        if let error = error as? PromiseError { return error.description }
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }

    @usableFromInline
    package static func origin(_ file: StaticString, _ line: UInt) -> PromiseOrigin? {
        if isInstalled.isSet { return PromiseOrigin(file: file, line: line, scope: PromiseScope.around) }
        guard let scope = PromiseScope.around else { return nil }
        return PromiseOrigin(file: file, line: line, scope: scope)
    }

    /// Whether anybody would be told.
    static var isListening: Bool { isInstalled.isSet }

    static func report(_ error: any Error, from origin: PromiseOrigin?) {
        guard isInstalled.isSet, let handler = onUnhandledError else { return }
        handler(UnhandledError(error: error, file: origin?.file.description ?? "", line: origin?.line ?? 0))
    }
}

/// The place in the source where a chain began, and what surrounded it there.
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
